// Shows the copy buttons and makes them work. Without it the text is there to
// be selected by hand.
"use strict";
if (navigator.clipboard) { // plain http on a network address: browsers offer no clipboard
  const show = () => {
    for (const button of document.querySelectorAll("button[data-copy][hidden]")) button.hidden = false;
  };
  document.documentElement.classList.add("copies");
  show();
  new MutationObserver(show).observe(document.body, { childList: true, subtree: true }); // a live page gets new ones
  addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-copy]");
    if (!button || button.textContent === button.dataset.done) {
      return;
    }
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).innerText);
    const label = button.textContent;
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
  // Small buttons carry what they copy.
  addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-text]");
    if (!button) {
      return;
    }
    await navigator.clipboard.writeText(button.dataset.text);
    const label = button.getAttribute("aria-label");
    button.setAttribute("aria-label", button.dataset.done);
    button.classList.add("done");
    setTimeout(() => { button.setAttribute("aria-label", label); button.classList.remove("done"); }, 2000);
  });
}
