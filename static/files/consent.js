// Holds the approving button back until the window has had the focus for a
// moment. A page that closes a window of its own between the two clicks of a
// double click would otherwise make a signed-in person approve with the second.
"use strict";
const approve = document.querySelector('button[value="approve"]');
let timer;
function settle() {
  clearTimeout(timer);
  approve.disabled = true;
  if (document.visibilityState === "visible" && document.hasFocus()) {
    timer = setTimeout(() => { approve.disabled = false; }, 700);
  }
}
addEventListener("focus", settle);
addEventListener("blur", settle);
document.addEventListener("visibilitychange", settle);
settle();
