// Reads an access token while it is pasted, and says what it opens, how long it
// lasts, and what is wrong with it. Nothing leaves the page before the person
// sends it, and the server checks everything again. Without this script the
// server says it, and asks once more.
"use strict";
{ // the scripts of a page share their names
  const field = document.getElementById("token");
  const reading = document.getElementById("reading");
  const shown = document.getElementById("shown");
  let timer;

  /** Returns the claims of a signed JWT, or null. */
  function claimsOf(text) {
    const parts = text.split(".");
    if (parts.length !== 3 || !parts.every((p) => /^[A-Za-z0-9_-]+$/.test(p))) return null;
    try {
      const bytes = Uint8Array.from(atob(parts[1].replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
      const claims = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
      return claims && typeof claims === "object" && !Array.isArray(claims) ? claims : null;
    } catch {
      return null;
    }
  }

  /** Returns the use cases that a scope names, sorted as the server sorts them. */
  function useCasesOf(scope) {
    const named = [];
    for (const word of typeof scope === "string" ? scope.split(" ") : []) {
      if (word === "mcp:tools:*") return ["*"];
      const useCase = word.match(/^mcp:tools:([A-Za-z0-9_.-]{1,64})$/);
      if (useCase && !named.includes(useCase[1])) named.push(useCase[1]);
    }
    return named.sort();
  }

  function left(seconds) {
    const minutes = Math.floor(seconds / 60);
    if (minutes < 1) return "< 1 min";
    if (minutes < 60) return `${minutes} min`;
    if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
    return `${Math.floor(minutes / 1440)} d`;
  }

  /** Says what is wrong with the claims, as the key of a sentence; "" is nothing. */
  function problem(claims, now) {
    if (!claims) return "malformed";
    const audiences = [].concat(claims.aud ?? []);
    const ours = reading.dataset.audiences.split(" ");
    if (claims.iss !== reading.dataset.issuer) return "otherIssuer";
    if (!audiences.some((a) => ours.includes(a))) return "otherAudience";
    if (!(claims.exp > now)) return "expired";
    if (useCasesOf(claims.scope).length === 0) return "noUsecase";
    return "";
  }

  /** Returns a sentence in the language of the page, with a value in its place. */
  function say(key, value) {
    const sentence = reading.dataset["say" + key[0].toUpperCase() + key.slice(1)];
    return value === undefined ? sentence : sentence.replace("{}", () => value);
  }

  function read() {
    clearTimeout(timer);
    const text = field.value.trim().replace(/^bearer\s+/i, "");
    reading.hidden = text === "";
    reading.replaceChildren();
    reading.classList.remove("danger");
    shown.value = "";
    if (text === "") return;
    const now = Date.now() / 1000;
    const claims = claimsOf(text);
    const wrong = problem(claims, now);
    const lines = [];
    if (wrong) {
      reading.classList.add("danger");
      lines.push(say(wrong));
    } else {
      const useCases = useCasesOf(claims.scope);
      shown.value = useCases.join(" ");
      lines.push(...useCases.map((u) => (u === "*" ? say("all") : say("usecase", u))));
      lines.push(say("left", left(claims.exp - now)));
      timer = setTimeout(read, 15000);
    }
    for (const line of lines) {
      const p = document.createElement("p");
      p.textContent = line;
      reading.append(p);
    }
  }

  if (field) {
    field.addEventListener("input", read);
    // Enter means this field's button, and not the first one of the form.
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      document.querySelector('button[value="token"]').click();
    });
    // A page that the browser keeps for "back" must not keep the token.
    addEventListener("pagehide", () => { field.value = ""; read(); });
    read();
  }
}
