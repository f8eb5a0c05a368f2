// Signs in with passkeys, adds them, and shows passwords while they are typed. Without it the page
// takes a password.
"use strict";
{ // the scripts of a page share their names
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const described = (list) => (list ?? []).map((one) => ({ ...one, id: bytes(one.id) }));

  /** Returns the answer of an authenticator as JSON, or throws. Options with a user make a passkey. */
  async function answer(options, more) {
    const publicKey = { ...options, challenge: bytes(options.challenge) };
    let made;
    if (options.user) {
      publicKey.user = { ...options.user, id: bytes(options.user.id) };
      publicKey.excludeCredentials = described(options.excludeCredentials);
      made = await navigator.credentials.create({ publicKey, ...more });
    } else {
      publicKey.allowCredentials = described(options.allowCredentials);
      made = await navigator.credentials.get({ publicKey, ...more });
    }
    const response = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (made.response[name]) response[name] = text(made.response[name]);
    }
    response.transports = made.response.getTransports?.();
    return JSON.stringify({
      id: made.id, rawId: text(made.rawId), type: made.type, response,
      clientExtensionResults: made.getClientExtensionResults(),
    });
  }

  addEventListener("keydown", (event) => {
    const { form } = event.target;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form?.requestSubmit(form.querySelector("button.primary"));
  });

  for (const button of window.PublicKeyCredential ? document.querySelectorAll("button[data-passkey]") : []) {
    const { form } = button;
    const options = JSON.parse(button.dataset.passkey);
    const failed = form.querySelector("[data-passkey-failed]");
    let waiting = new AbortController();

    const ask = async (more) => {
      waiting.abort(); // one request at a time
      waiting = new AbortController();
      failed.hidden = true;
      try {
        form.elements.passkey.value = await answer(options, { ...more, signal: waiting.signal });
        form.requestSubmit(button);
      } catch (error) {
        failed.hidden = ["AbortError", "NotAllowedError"].includes(error.name); // the person changed their mind
      }
    };

    button.hidden = false;
    button.addEventListener("click", (event) => {
      if (form.elements.passkey.value) return; // it is sent
      event.preventDefault();
      if (form.reportValidity === undefined || button.formNoValidate || form.reportValidity()) ask({});
    });
    // A page that comes back from the cache of the browser must not send its answer again.
    addEventListener("pageshow", () => { form.elements.passkey.value = ""; });
    if (!options.user && form.querySelector("[autocomplete~=webauthn]")) {
      PublicKeyCredential.isConditionalMediationAvailable?.().then((can) => { if (can) ask({ mediation: "conditional" }); });
    }
  }

  for (const button of document.querySelectorAll("button[data-reveal]")) {
    const field = document.getElementById(button.dataset.reveal);
    const word = button.textContent;
    const show = (shown) => {
      field.type = shown ? "text" : "password";
      button.textContent = shown ? button.dataset.hide : word;
    };
    button.hidden = false;
    button.addEventListener("click", () => show(field.type === "password"));
    field.form.addEventListener("submit", () => show(false)); // browsers offer to keep passwords only
  }
}
