// Says times in the zone and the locale of the reader, who may choose UTC, and lets relative times go
// on. Without it every time is in UTC, which the end of the page says.
"use strict";
{
  const note = document.getElementById("zone"), words = note.dataset, language = document.documentElement.lang;
  const locale = navigator.languages.find((l) => l.split("-")[0] === language) ?? language;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const forms = {
    stamp: { dateStyle: "medium", timeStyle: "medium" },
    minute: { dateStyle: "medium", timeStyle: "short" },
    clock: { timeStyle: "medium" },
    hour: { timeStyle: "short" },
    day: { dateStyle: "medium" },
  };
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const month = 31 * 86400;
  const zone = localStorage.getItem("zone") === "UTC" ? "UTC" : own;

  const format = (at, form) => at.toLocaleString(locale, { ...form, timeZone: zone });
  const date = (at) => format(at, forms.day);

  /** How far a moment is, in the words of templates.When. */
  function relative(at) {
    let far = Math.floor((Date.now() - at) / 1000);
    if (far >= -1 && far < 5) return words.now;
    const sentence = far < 0 ? words.in : words.ago;
    if (far <= -60) far = Math.round(far / 60) * 60;
    far = Math.abs(far);
    if (far >= month) return date(at);
    const [unit, size] = units.find(([, size]) => far >= size);
    return sentence.replace("{}", words[unit].replace("{}", Math.floor(far / size)));
  }

  function text(time, at) {
    if (time.className === "ago") return relative(at);
    const today = time.className !== "clock" || date(at) === date(new Date());
    return (today ? "" : date(at) + "\n") + format(at, forms[time.className]);
  }

  function say(time) {
    const at = new Date(time.dateTime);
    time.dataset.said = "";
    time.title = format(at, { dateStyle: "medium", timeStyle: "long" });
    if (time.className === "ago" || time.className in forms) time.textContent = text(time, at);
  }

  /** How long something has run. */
  function elapsed(at) {
    const s = Math.max(0, Math.floor((Date.now() - at) / 1000)), two = (n) => String(n).padStart(2, "0");
    return (s < 3600 ? Math.floor(s / 60) : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}`) + `:${two(s % 60)}`;
  }

  function tick() {
    for (const time of document.querySelectorAll("time:is(.ago, .elapsed)")) {
      const at = new Date(time.dateTime), now = time.className === "ago" ? relative(at) : elapsed(at);
      if (time.textContent !== now) time.textContent = now;
    }
  }

  const all = () => document.querySelectorAll("time:not([data-said])").forEach(say);

  const [said, other] = note.querySelectorAll("bdi"), button = note.querySelector("button");
  said.textContent = zone;
  other.textContent = zone === "UTC" ? own : "UTC";
  button.hidden = own === "UTC";
  button.addEventListener("click", () => {
    localStorage.setItem("zone", other.textContent);
    location.reload();
  });
  all();
  new MutationObserver(all).observe(document.body, { childList: true, subtree: true }); // a live page gets new ones
  setInterval(tick, 1000);

  // The server is told where the days of the usage pages begin.
  const offset = `zone=${zone === "UTC" ? 0 : -new Date().getTimezoneOffset()}`;
  const known = () => document.cookie.split("; ").includes(offset);
  const again = location.pathname.startsWith("/admin/usage") && !known();
  document.cookie = `${offset}; path=/admin; samesite=lax`;
  if (again && known()) location.reload();
}
