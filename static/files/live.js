// Keeps a list fresh without loading the page: it searches as one types, and shows the page
// anew when the server says that something has changed. Without it the forms and links do the same.
"use strict";
{
  let main = document.getElementById("main");
  let asking;

  /** Asks for an address, and puts its parts in the place of those shown. */
  async function show(address) {
    asking?.abort();
    const mine = asking = new AbortController();
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" }, signal: mine.signal });
      if (answer.ok && !answer.redirected) replace(await answer.text());
    } catch {
      // A later one has taken its place, or the network is gone for now.
    }
  }

  function replace(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.getElementById("main");
    if (!fresh) return;
    document.title = page.title;
    for (const part of main.querySelectorAll("section.part[id]")) {
      const now = fresh.querySelector("#" + CSS.escape(part.id));
      if (!now || now.outerHTML === part.outerHTML) continue;
      if (part.dataset.keep && part.dataset.keep === now.dataset.keep) continue; // the same question: what was typed stays
      for (const box of part.querySelectorAll(".pick :checked")) now.querySelector(`.pick [value="${CSS.escape(box.value)}"]`)?.toggleAttribute("checked", true);
      for (const open of part.querySelectorAll("details[id][open]")) now.querySelector("#" + CSS.escape(open.id))?.setAttribute("open", "");
      if (!part.contains(document.activeElement)) {
        part.replaceWith(now);
        continue;
      }
      // What somebody types into stays as it is.
      const rows = part.querySelector(":scope > .rows"), other = now.querySelector(":scope > .rows");
      if (rows && other && !rows.contains(document.activeElement)) rows.replaceWith(other);
    }
    for (const side of [".side", ".menu > nav"]) document.querySelector(side)?.replaceChildren(...page.querySelector(side)?.childNodes ?? []);
    listen(fresh.dataset.live);
    prepare();
    dispatchEvent(new Event("shown"));
  }

  /** Hides the buttons of filters that work as one types. */
  function prepare() {
    for (const form of document.querySelectorAll("form.filter")) form.classList.add("auto");
  }

  // What unfolds over the page closes on Escape, and on a click elsewhere.
  const asks = "details.ask[open]";
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const bulk = document.querySelector(".pick :checked")?.form;
      (event.target.form ?? bulk)?.requestSubmit();
    }
    if (event.key !== "Escape") return;
    for (const ask of document.querySelectorAll(asks)) {
      if (ask.contains(document.activeElement)) ask.querySelector("summary").focus();
      ask.open = false;
    }
  });
  addEventListener("click", (event) => {
    for (const ask of document.querySelectorAll(asks)) if (!ask.contains(event.target)) ask.open = false;
  });

  // What was done is told once. A page that tells it, or asks first, has the focus at its beginning.
  const toast = document.getElementById("done");
  if ((toast || document.getElementById("confirm")) && document.activeElement === document.body) main.focus({ preventScroll: true });
  if (toast) {
    const here = new URL(location.href);
    here.searchParams.delete("done");
    here.searchParams.delete("undo");
    history.replaceState(null, "", here);
    setTimeout(function leave() {
      if (toast.matches(":hover, :focus-within")) setTimeout(leave, 3000);
      else toast.remove();
    }, 8000);
  }

  let waiting;
  function search(form, after) {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const chosen = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
      const address = form.getAttribute("action") + (chosen.size ? "?" + chosen : "");
      history.replaceState(null, "", address);
      show(address);
    }, after);
  }
  addEventListener("input", (event) => {
    const form = event.target.form;
    if (form?.matches("form.filter")) search(form, event.target.tagName === "SELECT" ? 0 : 250);
  });

  // A form that waits for another server says so, and can be canceled.
  addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.busy) return;
    const note = document.createElement("p");
    note.className = "notice plain busy";
    note.setAttribute("role", "status");
    note.append(form.dataset.busy + " ");
    const cancel = document.createElement("button");
    cancel.type = "button";
    cancel.className = "small";
    cancel.textContent = form.dataset.cancel;
    cancel.addEventListener("click", () => {
      stop();
      note.remove();
      for (const button of form.querySelectorAll("button")) button.disabled = false;
    });
    note.append(cancel);
    form.append(note);
    setTimeout(() => { for (const button of form.querySelectorAll(".row > button")) button.disabled = true; });
  });

  let stream, followed;
  function listen(address) {
    if (!window.EventSource || address === followed) return;
    stream?.close();
    followed = address;
    if (!address) return;
    const mine = stream = new EventSource(address);
    let again;
    mine.addEventListener("change", () => { clearTimeout(again); again = setTimeout(() => show(location.href), 300); });
    mine.addEventListener("end", () => { mine.close(); show(location.href); });
    // The browser gives up a stream that is refused: too many pages, or a server that restarts behind its proxy.
    mine.addEventListener("error", () => {
      if (mine.readyState === EventSource.CLOSED) setTimeout(() => {
        if (mine !== stream) return;
        followed = undefined;
        listen(address);
        show(location.href);
      }, 60_000);
    });
  }
  addEventListener("pagehide", () => stream?.close());
  prepare();
  listen(main?.dataset.live);
}
