// Shows the page anew when the server says that something has changed. Without
// it the page is as it was when it was asked for.
"use strict";
{
  const main = document.querySelector("main[data-live]");
  let asking = false;
  let again = false;

  /** Asks for this page and puts its parts in the place of those shown. */
  async function renew() {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok && !answer.redirected) replace(await answer.text());
    } catch {
      // The network is gone for now; the stream comes back by itself.
    }
    asking = false;
    if (again) {
      again = false;
      setTimeout(renew, 1000);
    }
  }

  function replace(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main[data-live]");
    if (!fresh) return;
    for (const part of main.querySelectorAll(":scope > section[id]")) {
      const now = fresh.querySelector(":scope > section[id=\"" + part.id + "\"]");
      // What somebody is using stays as it is.
      if (now && now.innerHTML !== part.innerHTML && !part.contains(document.activeElement)) part.replaceWith(now);
    }
  }

  if (main && window.EventSource) {
    const stream = new EventSource(main.dataset.live);
    stream.addEventListener("change", renew);
    stream.addEventListener("end", () => { stream.close(); renew(); });
    addEventListener("pagehide", () => stream.close());
  }
}
