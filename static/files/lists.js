// Keys for lists, the palette that goes anywhere, and views of a list that this browser keeps. Without
// it links, forms and filters do the same.
"use strict";
{
  const main = document.getElementById("main");
  const palette = document.getElementById("palette"), words = palette.dataset;
  const field = palette.querySelector("input"), found = document.getElementById("found");
  const shortcuts = document.getElementById("shortcuts"), single = document.getElementById("single");

  function make(tag, props, ...inside) {
    const node = Object.assign(document.createElement(tag), props);
    node.append(...inside);
    return node;
  }

  // Rows. The link of a row has the focus, or its box.

  const rows = () => [...main.querySelectorAll(".rows tbody > tr")].filter(target);
  const target = (row) => row.querySelector("th a") ?? row.querySelector(".pick input");
  const here = () => document.activeElement.closest(".rows tbody > tr");

  function move(by) {
    const all = rows(), at = all.indexOf(here());
    const row = all[at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)];
    if (row) target(row).focus();
  }

  /** Goes to the next row that waits, to the question of the page, or to the list of what waits. */
  function waiting() {
    const all = rows(), next = all.indexOf(here()) + 1;
    const row = [...all.slice(next), ...all.slice(0, next)].find((row) => row.querySelector(".acts .primary"));
    const question = main.querySelector("#question form :is(input:not([type='hidden']), select, textarea, .button, button)");
    const to = row ? target(row) : question;
    if (to) to.focus();
    else document.querySelector("a:has(> .waits)")?.click();
  }

  const singles = {
    j: () => move(1),
    k: () => move(-1),
    x: () => here()?.querySelector(".pick input")?.click(),
    w: waiting,
    "/": () => main.querySelector("form.filter input")?.select(),
    "?": () => shortcuts.showModal(),
  };

  addEventListener("keydown", (event) => {
    const bare = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      search();
      return;
    }
    if (bare && event.key === "ArrowDown" && event.target.matches("form.filter input[type='search']:not([list])")) {
      event.preventDefault();
      move(0);
      return;
    }
    const typing = event.target.matches("input:not([type='checkbox']), select, textarea") || document.querySelector("dialog[open]");
    if (!bare || typing || !single.checked || !singles[event.key]) return;
    event.preventDefault();
    singles[event.key]();
  });

  single.checked = localStorage.getItem("keys") !== "off";
  single.addEventListener("change", () => localStorage.setItem("keys", single.checked ? "on" : "off"));

  // The palette: pages and agents that the lists name, and tasks by their titles.

  let places, asking, waitingForMore;
  const admin = document.querySelector(".areas a[href='/admin']");
  const read = async (address) => new DOMParser().parseFromString(await (await fetch(address, { signal: asking?.signal })).text(), "text/html");
  const place = (kind) => (a) => ({ kind, name: a.textContent.trim(), href: a.getAttribute("href") });
  const links = (page, selector, kind) => [...page.querySelectorAll(selector)].map(place(kind));

  async function load() {
    const own = read("/account/tasks"), theirs = admin && read("/admin/agents");
    places = links(await own, ".side a", words.page);
    if (admin) places.push(...links(await theirs, ".side a", words.page), ...links(await theirs, "tbody th a", words.agent));
    else for (const { value } of (await own).querySelectorAll("select[name='agent'] option[value]:not([value=''])")) {
      places.push({ kind: words.agent, name: value, href: "/account/tasks?agent=" + encodeURIComponent(value) });
    }
  }

  async function tasks(text) {
    const lists = ["/account/tasks", ...(admin ? ["/admin/tasks"] : [])].map((list) => read(`${list}?text=${encodeURIComponent(text)}`));
    const all = (await Promise.all(lists)).flatMap((page) => links(page, "#tasks tbody th a", words.task));
    const id = ({ href }) => href.split(/[/=]/).pop();
    return all.filter((task, i) => all.findIndex((other) => id(other) === id(task)) === i);
  }

  function list(all) {
    found.replaceChildren(...all.slice(0, 12).map(({ kind, name, href }, i) => {
      const option = make("a", { href, id: `found-${i}`, role: "option", tabIndex: -1 }, make("span", {}, name), make("small", {}, kind));
      option.ariaSelected = String(i === 0);
      return option;
    }));
    choose(found.firstElementChild);
  }

  function choose(option) {
    found.querySelector("[aria-selected='true']")?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", option?.id ?? "");
  }

  async function search() {
    if (!palette.open) {
      field.value = "";
      palette.showModal();
    }
    asking?.abort();
    asking = new AbortController();
    const mine = asking.signal, text = field.value.trim().toLowerCase();
    try {
      if (!places) await load();
      const matches = places.filter(({ name }) => name.toLowerCase().includes(text));
      if (mine.aborted) return;
      list(matches);
      if (text.length > 1) list([...matches, ...(await tasks(text))]);
    } catch (err) {
      if (!mine.aborted) throw err;
    }
  }

  field.addEventListener("input", () => {
    clearTimeout(waitingForMore);
    waitingForMore = setTimeout(search, 150);
  });
  field.addEventListener("keydown", (event) => {
    const at = found.querySelector("[aria-selected='true']");
    const to = { ArrowDown: at?.nextElementSibling, ArrowUp: at?.previousElementSibling }[event.key];
    if (to) choose(to);
    if (event.key === "Enter") at?.click();
    if (["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) event.preventDefault();
  });
  for (const dialog of [palette, shortcuts]) dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  shortcuts.querySelector("button").addEventListener("click", () => shortcuts.close());
  const opener = document.getElementById("find");
  opener.hidden = false;
  opener.addEventListener("click", search);

  // Views: filters of this list that the browser keeps, each under what it chooses.

  const filter = () => main.querySelector("form.filter");
  const kept = `views ${location.pathname}`;
  const saved = () => JSON.parse(localStorage.getItem(kept) ?? "[]");
  const views = make("nav", { className: "tabs views", ariaLabel: filter()?.dataset.views ?? "" });

  function query() {
    const all = new URLSearchParams(location.search);
    for (const name of ["after", "before", "done", "order"]) all.delete(name);
    return all.toString();
  }

  function save(all) {
    localStorage.setItem(kept, JSON.stringify(all));
    show();
  }

  function show() {
    const form = filter(), all = saved(), now = query();
    if (!form) return;
    const items = all.map(([name, at]) => {
      const link = make("a", { href: `${location.pathname}?${at}` }, name);
      if (at === now) link.setAttribute("aria-current", "page");
      const remove = make("button", { type: "button", className: "as-link", title: form.dataset.remove, ariaLabel: `${form.dataset.remove} ${name}` }, "×");
      remove.addEventListener("click", () => save(all.filter(([, other]) => other !== at)));
      return make("li", {}, link, remove);
    });
    if (now && !all.some(([, at]) => at === now)) {
      const values = [...form.elements].filter((e) => e.type !== "hidden" && e.value).map((e) => e.selectedOptions?.[0].text ?? e.value);
      const add = make("button", { type: "button", className: "as-link" }, form.dataset.save);
      add.addEventListener("click", () => save([...all, [values.join(" · ") || now, now]]));
      items.push(make("li", {}, add));
    }
    views.replaceChildren(make("ul", {}, ...items));
    if (items.length) form.closest("section").before(views);
    else views.remove();
  }
  addEventListener("shown", show); // by live.js
  show();
}
