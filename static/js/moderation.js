// Keys of the moderators' rooms. Everything works without: each key stands for a link or a field.
"use strict";

(() => {
  // The same switch as for the ballot's keys, which keys.js stores (WCAG 2.1.4).
  const stored = () => {
    try {
      return localStorage.getItem("keys") !== "off";
    } catch {
      return true;
    }
  };
  let on = stored();
  const box = document.getElementById("keys-on");
  if (box) {
    box.checked = on;
    box.addEventListener("change", () => {
      on = box.checked;
    });
  }

  const typing = (target) => target.closest("input, select, textarea, [contenteditable]");
  // From the list of reasons of one decision the same keys lead on to the other.
  const deciding = (event) =>
    ["u", "d"].includes(event.key) && event.target.matches("form[data-verdict] select");

  const step = (links, by) => {
    const at = links.indexOf(document.activeElement);
    const to = at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by;
    links[Math.min(Math.max(to, 0), links.length - 1)]?.focus();
  };

  const choose = (verdict) => {
    const form = document.querySelector(`form[data-verdict="${verdict}"]`);
    form?.querySelector("select, textarea, button")?.focus();
    form?.scrollIntoView({ block: "nearest" });
  };

  const follow = (rel) => document.querySelector(`a[rel="${rel}"]`)?.click();

  document.addEventListener("keydown", (event) => {
    if (!on || event.defaultPrevented || event.repeat || event.shiftKey) {
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || (typing(event.target) && !deciding(event))) {
      return;
    }
    const links = [...document.querySelectorAll(".case-link")];
    const list = links.length > 0;
    const acts = {
      j: () => (list ? step(links, 1) : follow("next")),
      k: () => (list ? step(links, -1) : follow("prev")),
      ArrowDown: list && (() => step(links, 1)),
      ArrowUp: list && (() => step(links, -1)),
      ArrowRight: !list && (() => follow("next")),
      ArrowLeft: !list && (() => follow("prev")),
      u: () => choose("for"),
      d: () => choose("against"),
    };
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : undefined;
    if (act && document.querySelector(".moderation")) {
      // A table that scrolls sideways keeps its own arrow keys.
      if (event.key.startsWith("Arrow") && event.target.closest(".table-scroll")) {
        return;
      }
      event.preventDefault();
      act();
    }
  });
})();
