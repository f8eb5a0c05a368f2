// Looks again when the person comes back to this page from the one where they enter the
// code. The page works without this: the button stays.
"use strict";
{
  const form = document.getElementById("device");
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") {
      form?.requestSubmit();
    }
  });
}
