// Holds the buttons back that allow without anything being typed, until the
// window has had the focus for a moment. A page that closes a window of its own
// between the two clicks of a double click would otherwise make a signed-in
// person approve with the second.
"use strict";
{ // the scripts of a page share their names
  const held = document.querySelectorAll("button[data-held]");
  let timer;
  function hold(disabled) {
    for (const button of held) button.disabled = disabled;
  }
  function settle() {
    clearTimeout(timer);
    hold(true);
    if (document.visibilityState === "visible" && document.hasFocus()) {
      timer = setTimeout(hold, 700, false);
    }
  }
  addEventListener("focus", settle);
  addEventListener("blur", settle);
  addEventListener("pageshow", settle);
  document.addEventListener("visibilitychange", settle);
  settle();
}
