// Takes a file that is dropped anywhere on the page, and shows how much of it has gone. The answer is
// the page after the form was sent. The form works without this.
"use strict";
{
  const $ = (id) => document.getElementById(id);
  const over = (event) => {
    event.preventDefault();
    $("file")?.closest("label").classList.toggle("over", event.type === "dragover");
  };
  document.addEventListener("dragover", over);
  document.addEventListener("dragleave", over);
  document.addEventListener("drop", (event) => {
    over(event);
    if ($("file") && event.dataTransfer.files.length > 0) {
      $("file").files = event.dataTransfer.files;
    }
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", (sent) => {
      $("progress").value = sent.total > 0 ? 100 * sent.loaded / sent.total : 0;
    });
    request.addEventListener("load", () => {
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      document.title = page.title;
      document.querySelector("main").replaceWith(page.querySelector("main"));
    });
    const again = () => {
      $("progress").hidden = true;
      event.submitter.disabled = false;
    };
    request.addEventListener("error", again);
    request.open("POST", location.pathname);
    request.send(new FormData(event.target));
    $("progress").hidden = false;
    event.submitter.disabled = true;
  });
}
