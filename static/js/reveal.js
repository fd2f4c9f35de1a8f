// After a vote: moves focus to what arrived, counts the wait down in "Next question", and counts
// down the wait of an error message. Without this file the links simply work.
(() => {
  "use strict";
  let opensAt = 0;
  let asked = false;
  const next = () => document.getElementById("next-question");
  const fill = (words, seconds) => words.replace("{seconds}", seconds);

  function show() {
    const link = next();
    if (!link) return;
    const seconds = Math.ceil((opensAt - performance.now()) / 1000);
    const { say, sayWait, saySoon } = link.dataset;
    const words = seconds <= 0 ? say : fill(asked ? saySoon : sayWait, seconds);
    const label = link.querySelector("span");
    if (label.textContent !== words) label.textContent = words;
    if (seconds > 0) {
      link.setAttribute("aria-disabled", "true");
    } else if (link.hasAttribute("aria-disabled")) {
      link.removeAttribute("aria-disabled");
      if (asked) link.click();
    }
  }

  // The question's box keeps its height from ballot to reveal, so the answers stay where they were.
  // Told to the style sheet before the swap: after it the browser may already have painted.
  document.addEventListener("htmx:before:swap", (event) => {
    const box = document.querySelector("#ballot .question");
    if (!box || event.detail?.ctx?.target?.id !== "main") return;
    document.documentElement.style.setProperty("--question-height", `${box.getBoundingClientRect().height}px`);
  });

  function start(event) {
    const reveal = document.getElementById("reveal");
    if (reveal && !reveal.dataset.started) {
      reveal.dataset.started = "yes";
      asked = false;
      opensAt = performance.now() + 1000 * Number(reveal.dataset.wait);
    }
    show();
    if (event && event.detail?.ctx?.target?.id === "main") arrive();
  }

  // A new page in place: the reader, by eye or by ear, begins at its heading.
  function arrive() {
    scrollTo({ top: 0, behavior: "instant" });
    const heading = document.querySelector("#main h1[tabindex]") ?? document.getElementById("main");
    heading.focus({ preventScroll: true });
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("#next-question");
    if (!link || link.getAttribute("aria-disabled") !== "true") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    asked = true;
    show();
  }, true);

  document.addEventListener("htmx:after:swap", start);
  setInterval(show, 250);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => start());
  else start();
})();
