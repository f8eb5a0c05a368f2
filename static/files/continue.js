// Goes on to the application. The page works without this: the link stays.
// replace() keeps the page out of the history, so "back" does not bounce.
"use strict";
const link = document.getElementById("continue");
if (link) {
  location.replace(link.href);
}
