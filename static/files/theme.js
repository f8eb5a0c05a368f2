// Shows pages in the theme that the reader chose, before the first of them is drawn. The browser keeps
// the choice. Without a choice, or without this script, pages have the theme of the system.
"use strict";
{
  const key = "theme"; // "light", "dark", or nothing
  const media = new Map(); // of the rules and elements that are for one theme, as the page has them
  for (const { cssRules } of document.styleSheets) {
    for (const rule of cssRules) {
      if (rule instanceof CSSMediaRule && rule.conditionText.includes("prefers-color-scheme")) media.set(rule.media, rule.conditionText);
    }
  }
  for (const meta of document.querySelectorAll("meta[name=theme-color]")) media.set(meta, meta.media);

  let chosen;
  function read() {
    try {
      chosen = localStorage.getItem(key);
    } catch {
      // This browser keeps nothing: a choice is for one page.
    }
    show();
  }

  function show() {
    for (const [part, own] of media) {
      const now = !chosen ? own : own.includes(chosen) ? "all" : "not all";
      if (part instanceof MediaList) part.mediaText = now;
      else part.media = now;
    }
    document.documentElement.dataset.theme = chosen ?? "";
    for (const button of document.querySelectorAll("#theme button")) button.setAttribute("aria-pressed", button.value === (chosen ?? ""));
  }

  read();
  addEventListener("storage", read); // another tab chose
  addEventListener("pageshow", read);
  addEventListener("DOMContentLoaded", () => {
    const group = document.getElementById("theme");
    group.hidden = false;
    show();
    group.addEventListener("click", ({ target }) => {
      if (target.tagName !== "BUTTON") return;
      chosen = target.value || null;
      try {
        if (chosen) localStorage.setItem(key, chosen);
        else localStorage.removeItem(key);
      } catch {
        // See above.
      }
      show();
    });
  });
}
