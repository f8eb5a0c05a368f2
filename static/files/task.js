// Keeps the page of a task up to date. Without it the page says to load again.
// What was typed into a form stays until the agent asks something else.
"use strict";
{
  const find = (page) => page.getElementById("task");
  let source;

  function listen() {
    source?.close();
    source = new EventSource(find(document).dataset.events);
    source.addEventListener("changed", show);
  }

  async function show() {
    source.close();
    await new Promise((done) => { setTimeout(done, 300); }); // a stream says many things a second
    const answer = await fetch(location.pathname, { headers: { "Accept": "text/html" } });
    if (!answer.ok || answer.redirected) {
      location.reload(); // signed out, or forgotten: the server says so
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = find(page), before = find(document);
    if (now === null) {
      location.reload();
      return;
    }
    const asks = now.dataset.pause !== "" && now.dataset.pause === before.dataset.pause;
    if (asks) {
      before.dataset.events = now.dataset.events;
    } else {
      before.replaceWith(now);
      document.title = page.title;
    }
    listen();
  }

  if (find(document)) {
    listen();
  }
}
