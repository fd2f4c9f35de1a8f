// Keyboard shortcuts of the ballot. Single keys, so they can be switched off for good (WCAG 2.1.4),
// and none acts while you type, hold a modifier, or have the help open.
(() => {
  "use strict";
  const help = () => document.getElementById("keys-help");
  const send = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
  let on = true;
  try {
    on = localStorage.getItem("keys") !== "off";
  } catch {
    // storage is closed: the switch lasts for this page
  }

  const typing = (target) =>
    target.isContentEditable || target.matches("textarea, select, input:not([type=radio], [type=checkbox])");

  function openHelp() {
    document.getElementById("keys-on").checked = on;
    for (const drop of document.querySelectorAll("details.drop[open]")) drop.open = false;
    help().showModal();
  }

  function enter(event) {
    // Enter keeps its own meaning on links, buttons and switches.
    if (event.target.closest("a, button, summary, label, [type=checkbox]")) return;
    event.preventDefault();
    document.getElementById("vote-button").click();
  }

  function act(event) {
    const key = event.key.toLowerCase();
    if ("abcd".includes(key) && key.length === 1) {
      return send("arena:choose", { pick: event.shiftKey ? "worst" : "best", letter: key.toUpperCase() });
    }
    if (event.key === "?") return openHelp();
    if (event.shiftKey) return undefined;
    const arrows = event.target.matches("[type=radio]") ? {} : { arrowright: 1, arrowleft: -1 };
    const steps = { ...arrows, j: 1, k: -1 };
    if (key in steps) return send("arena:step", steps[key]);
    const buttons = { e: "#ballot-other [value=same]", x: "#ballot-other [value=bad]", s: "#skip-form button" };
    if (key in buttons) return document.querySelector(buttons[key]).click();
    return null;
  }

  document.addEventListener("keydown", (event) => {
    if (!on || !document.getElementById("ballot") || help().open) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
    if (event.defaultPrevented || typing(event.target)) return;
    if (event.key === "Enter") return enter(event);
    if (act(event) !== null) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("#keys-open")) openHelp();
    else if (event.target.closest("#keys-close") || event.target === help()) help().close();
  });

  document.addEventListener("change", (event) => {
    if (event.target.id !== "keys-on") return;
    on = event.target.checked;
    try {
      localStorage.setItem("keys", on ? "on" : "off");
    } catch {
      // nothing to do
    }
  });
})();
