// Makes the results of a task easier to use: tables that sort, unfold and become CSV, pictures to
// look at closely, times in the reader's zone. Without it everything is there as the agent sent it.
"use strict";
{
  const main = document.getElementById("main"), language = document.documentElement.lang;
  const few = 20; // rows of a table at first
  const plain = /^-?\d+(\.\d+)?$/, named = /(^|[_ .-])(id|no|number|code|year|zip|plz)$/i;
  const number = (text) => Number(text.replace(/[\s,€$£%+]/g, "").replace("−", "-"));

  function make(tag, props, ...inside) {
    const node = Object.assign(document.createElement(tag), props);
    node.append(...inside);
    return node;
  }

  /** Aligns the numbers of a column and sets their thousands apart, unless they are names. */
  function align(rows, column, head) {
    const cells = rows.map((row) => row.cells[column]).filter((cell) => cell?.textContent.trim());
    if (!cells.length || !cells.every((cell) => plain.test(cell.textContent.trim()))) return;
    const values = cells.map((cell) => cell.textContent.trim());
    const places = Math.max(...values.map((v) => (v.split(".")[1] ?? "").length));
    const format = new Intl.NumberFormat(language, {
      minimumFractionDigits: Math.min(places, 4), maximumFractionDigits: Math.min(places, 4),
      useGrouping: !named.test(head.textContent.trim()) && (places > 0 || values.some((v) => Math.abs(v) >= 10000)),
    });
    for (const cell of [head, ...cells]) if (!cell.hasAttribute("align")) cell.classList.add("right");
    cells.forEach((cell, i) => {
      cell.dataset.value = values[i];
      if (Math.abs(values[i]) <= Number.MAX_SAFE_INTEGER) cell.textContent = format.format(values[i]);
    });
  }

  const value = (cell) => cell?.dataset.value ?? cell?.textContent.trim() ?? "";

  function compare(a, b) {
    if (!a || !b) return !a - !b;
    const x = number(a), y = number(b);
    return isNaN(x) || isNaN(y) ? a.localeCompare(b, language, { numeric: true }) : x - y;
  }

  function csv(table) {
    const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = [...table.rows].map((row) => [...row.cells].map((cell) => quote(value(cell))).join(","));
    const name = table.closest(".result")?.querySelector("h3:not(.unseen)")?.textContent || document.title;
    const link = make("a", { href: URL.createObjectURL(new Blob([lines.join("\r\n")], { type: "text/csv" })), download: `${name}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function improve(table) {
    const body = table.tBodies[0], rows = [...(body?.rows ?? [])], heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    if (!rows.length || !heads.length) return;
    heads.forEach((head, i) => align(rows, i, head));
    const count = make("span", {}, main.dataset.rows.replace("{}", rows.length.toLocaleString(language)));
    const all = make("button", { type: "button", hidden: rows.length <= few + 5 }, main.dataset.all);
    const fold = () => [...body.rows].forEach((row, i) => { row.hidden = !all.hidden && i >= few; });
    all.addEventListener("click", () => { all.hidden = true; fold(); });
    const save = make("button", { type: "button" }, "CSV");
    save.addEventListener("click", () => csv(table));
    heads.forEach((head, i) => {
      const button = make("button", { type: "button", title: main.dataset.sort.replace("{}", head.textContent) }, ...head.childNodes);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down < 0 ? "descending" : "ascending");
        const empty = (row) => !value(row.cells[i]);
        body.append(...rows.toSorted((a, b) => empty(a) - empty(b) || down * compare(value(a.cells[i]), value(b.cells[i]))));
        fold();
      });
      head.append(button);
    });
    fold();
    const box = table.parentElement, frame = make("div", { className: "sorted" });
    box.replaceWith(frame);
    frame.append(box, make("p", { className: "tools" }, count, save, all));
  }

  const utc = localStorage.getItem("zone") === "UTC"; // see time.js

  /** The picker shows the reader's time; what it sends is exact. */
  function localize(input) {
    const at = new Date(input.dataset.at || NaN);
    if (!isNaN(at)) input.value = new Date(at - (utc ? 0 : at.getTimezoneOffset() * 60_000)).toISOString().slice(0, 16);
    delete input.dataset.at;
  }
  addEventListener("formdata", (event) => {
    for (const input of event.target.querySelectorAll('input[type="datetime-local"]')) {
      if (input.value) event.formData.set(input.name, new Date(input.value + (utc ? "Z" : "")).toISOString().replace(".000", ""));
    }
  });

  function prepare() {
    for (const table of main.querySelectorAll(".scroll:not(.sorted > .scroll) > table")) improve(table);
    for (const input of main.querySelectorAll("input[data-at]")) localize(input);
    for (const zone of main.querySelectorAll("[data-zone]")) zone.textContent = utc ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const button of main.querySelectorAll("[data-print]")) button.hidden = false;
  }

  addEventListener("click", (event) => {
    if (event.target.closest?.("[data-print]")) print();
    const link = event.target.closest?.("a.zoom");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const close = make("button", { type: "button" }, main.dataset.close);
    const dialog = make("dialog", { className: "zoomed" }, make("img", { src: link.href, alt: link.firstElementChild.alt }), close);
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    close.focus();
  });

  prepare();
  new MutationObserver(prepare).observe(main, { childList: true });
}
