// Moving between the four answers: the A–D switcher, swiping, "read alone", and the question that
// takes two lines once reading has begun. Links keep working as plain anchors without this file.
(() => {
  "use strict";
  const LETTERS = ["A", "B", "C", "D"];
  const GRID = matchMedia("(min-width: 1100px)");
  const CALM = matchMedia("(prefers-reduced-motion: reduce)");
  const answers = () => document.querySelector("#ballot #answers");
  const answer = (letter) => document.getElementById(`answer-${letter}`);
  const scroller = (letter) => answer(letter).querySelector(".answer-scroll");

  function alone(letter) {
    const box = answers();
    const open = box.dataset.alone;
    if (letter) box.dataset.alone = letter;
    else delete box.dataset.alone;
    const shown = letter || open;
    markCurrent(shown);
    if (!letter && !GRID.matches) answer(shown).scrollIntoView({ inline: "start", block: "nearest" });
    scroller(shown).focus({ preventScroll: true });
  }

  function go(letter, focus) {
    const box = answers();
    if (box.dataset.alone) return alone(letter);
    if (!GRID.matches) {
      answer(letter).scrollIntoView({ inline: "start", block: "nearest", behavior: CALM.matches ? "instant" : "smooth" });
    }
    markCurrent(letter);
    if (focus) scroller(letter).focus({ preventScroll: true });
  }

  function current() {
    const box = answers();
    if (box.dataset.alone) return box.dataset.alone;
    const focused = document.activeElement?.closest?.(".answer");
    if (focused) return focused.id.slice(-1);
    return GRID.matches ? null : inView()[0];
  }

  function inView() {
    const frame = answers().getBoundingClientRect();
    return LETTERS.filter((letter) => {
      const box = answer(letter).getBoundingClientRect();
      const shown = Math.min(box.right, frame.right) - Math.max(box.left, frame.left);
      return box.width > 0 && shown > box.width / 2;
    });
  }

  function markCurrent(letter) {
    const shown = letter && !GRID.matches && innerWidth < 700 ? [letter] : inView();
    for (const link of document.querySelectorAll("[data-go]")) {
      if (shown.includes(link.dataset.go)) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  function step(by) {
    const now = current();
    const index = now ? LETTERS.indexOf(now) + by : by > 0 ? 0 : 3;
    go(LETTERS[(index + 4) % 4], true);
  }

  document.addEventListener("click", (event) => {
    if (!answers()) return;
    const link = event.target.closest("[data-alone], [data-go]");
    if (link && link.tagName === "A") {
      event.preventDefault();
      if (link.dataset.go) go(link.dataset.go, false);
      else alone(link.dataset.alone);
    } else if (event.target.closest(".question")) {
      document.getElementById("ballot").classList.toggle("is-reading", false);
    }
  });

  document.addEventListener("scroll", (event) => {
    const box = answers();
    if (!box || !(event.target instanceof Element)) return;
    if (event.target === box) markCurrent(null);
    else if (event.target.matches(".ballot .answer-scroll") && event.target.scrollTop > 8) {
      document.getElementById("ballot").classList.add("is-reading");
    }
  }, { capture: true, passive: true });

  const start = () => { if (answers()) markCurrent(null); };
  addEventListener("resize", start);
  document.addEventListener("htmx:after:swap", start);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();

  document.addEventListener("arena:step", (event) => { if (answers()) step(event.detail); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && answers()?.dataset.alone) alone("");
  });
  // An open drop-down closes when you act elsewhere.
  document.addEventListener("click", (event) => {
    for (const drop of document.querySelectorAll("details.drop[open]")) {
      if (!drop.contains(event.target)) drop.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    const drop = event.key === "Escape" && document.querySelector("details.drop[open]");
    if (!drop) return;
    drop.open = false;
    drop.querySelector("summary").focus();
  });
})();
