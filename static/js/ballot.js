// The ballot: measures how long and how far the answers were in view, keeps the two picks apart,
// says what is still missing, and sends. Everything here can only make a vote lighter: the server
// takes the smaller of its own time and ours.
(() => {
  "use strict";
  const STEP_MS = 200; // how often the view is sampled
  const AWAKE_MS = 5000; // an unfocused window counts this long after its last sign of a reader
  const THANKS_MS = 8000; // how long the thanks for a report stand in the bar
  const PHONE = matchMedia("(max-width: 699px)");

  let reading = null; // one per ballot shown: {ballot, ms, shares, last}
  let lastSign = 0;
  let waitUntil = 0;

  const ballot = () => document.getElementById("ballot");
  const say = (key, values = {}) =>
    (ballot().getAttribute(`data-say-${key}`) ?? "").replace(/\{(\w+)\}/g, (_, name) => values[name]);

  // ---- reading -------------------------------------------------------------------------------
  const someoneReads = (now) =>
    document.visibilityState === "visible" && (document.hasFocus() || now - lastSign < AWAKE_MS);

  // Share of an answer's text, from its start, whose end has been inside every box that clips it.
  function viewedShare(answer) {
    const text = [...answer.querySelectorAll(".answer-text")].find((part) => part.offsetHeight > 0);
    const box = answer.querySelector(".answer-scroll").getBoundingClientRect();
    const frame = answer.parentElement.getBoundingClientRect();
    if (!text || box.width === 0) return 0;
    const left = Math.max(box.left, frame.left, 0);
    const right = Math.min(box.right, frame.right, innerWidth);
    if (right - left < box.width * 0.6) return 0;
    const bar = document.querySelector(".bar").getBoundingClientRect();
    const floor = Math.min(box.bottom, innerHeight, bar.top > box.top ? bar.top : innerHeight);
    const { top, height } = text.getBoundingClientRect();
    if (floor <= Math.max(box.top, 0)) return 0;
    return Math.min(1, Math.max(0, (floor - top + 1) / Math.max(1, height)));
  }

  function sample() {
    if (!reading?.ballot.isConnected) return;
    const now = performance.now();
    if (someoneReads(now)) {
      reading.ms += Math.min(now - reading.last, 2 * STEP_MS);
      for (const answer of reading.ballot.querySelectorAll(".answer")) {
        const letter = answer.id.slice(-1);
        const share = Math.max(reading.shares[letter], viewedShare(answer));
        if (share === reading.shares[letter]) continue;
        reading.shares[letter] = share;
        showSeen(letter, share);
      }
    }
    reading.last = now;
  }

  function showSeen(letter, share) {
    const link = reading.ballot.querySelector(`[data-go="${letter}"]`);
    const state = share >= 0.98 ? "seen" : share > 0 ? "begun" : "unseen";
    if (link.dataset.seen === state) return;
    link.dataset.seen = state;
    link.querySelector("[data-seen-words]").textContent = say(state);
  }

  // Up to here the rules give weight 0; without the attribute the ballot counts for nothing anyway.
  const weighsNothing = () => reading.ms <= 1000 * Number(reading.ballot.dataset.zeroS ?? NaN);

  const smallestShare = () => Math.min(...Object.values(reading.shares));

  function writeReading() {
    sample();
    for (const form of ["ballot-form", "ballot-other"].map((id) => document.getElementById(id))) {
      form.elements.dwell_ms.value = String(Math.round(reading.ms));
      form.elements.scroll.value = String(Math.floor(smallestShare() * 1e4) / 1e4);
    }
  }

  // ---- choosing ------------------------------------------------------------------------------
  const picked = (name) => document.getElementById("ballot-form").elements[name].value;
  const pick = (name, letter) => {
    const id = letter ? `${name}-${letter}` : "worst-none";
    document.getElementById(id).checked = true;
  };

  function keepApart(changed) {
    if (!changed.value || picked("best") !== picked("worst")) return;
    if (changed.name === "best") pick("worst", "");
    else document.getElementById(`best-${changed.value}`).checked = false;
  }

  function choose(name, letter) {
    pick(name, letter);
    if (letter) keepApart(document.getElementById(`${name}-${letter}`));
    refresh();
  }

  function refresh() {
    const best = picked("best");
    const worst = picked("worst");
    const button = document.getElementById("vote-button");
    button.setAttribute("aria-disabled", String(!best));
    disarm();
    const words = best ? say(worst ? "both" : "best", { best, worst }) : say("choose");
    showWait();
    const status = document.getElementById("vote-status");
    if (status.textContent !== words) status.textContent = words;
  }

  // The seconds until a vote is allowed run outside the live region, in silence; and so does what
  // a vote weighs that was hardly read.
  function showWait() {
    const seconds = Math.max(0, Math.ceil((waitUntil - performance.now()) / 1000));
    const light = weighsNothing();
    if (!light) document.querySelector("#ballot-message [data-light]")?.remove();
    const words = seconds ? say("wait", { seconds }) : light && picked("best") ? say("light") : "";
    const place = document.getElementById("vote-wait");
    if (place.textContent === words) return;
    place.textContent = words;
    if (!words) document.querySelector("#ballot-message [data-retry]")?.remove();
  }

  function disarm() {
    document.querySelector(".bar").classList.remove("is-armed");
    document.getElementById("vote-change").hidden = true;
    const words = PHONE.matches && !picked("best") ? say("choose-short") : reading.voteWord;
    document.querySelector("#vote-button span").textContent = words;
  }

  function arm() {
    const [best, worst] = [picked("best"), picked("worst")];
    document.querySelector(".bar").classList.add("is-armed");
    document.getElementById("vote-change").hidden = false;
    if (weighsNothing()) tell(say("light"), "light"); // here nothing stands beside the button
    document.querySelector("#vote-button span").textContent = say(worst ? "send-both" : "send", { best, worst });
  }

  function onVoteClick(event) {
    if (!picked("best")) {
      event.preventDefault();
      document.getElementById("vote-status").textContent = "";
      requestAnimationFrame(refresh); // said again, so that a screen reader speaks it
      document.getElementById("best-A").focus();
    } else if (PHONE.matches && !document.querySelector(".bar").classList.contains("is-armed")) {
      event.preventDefault();
      arm();
    }
  }

  // A key, or a way out, sends with one act: hardly read it is held once and sent when it comes
  // again. Whoever picks and then presses Vote with a pointer has the words beside the button.
  function holdsBack(event) {
    sample();
    const act = `${event.submitter?.value} ${picked("best")} ${picked("worst")}`;
    const aimed = event.target.id === "ballot-form" && reading.byPointer;
    if (!weighsNothing() || aimed || reading.held === act) return false;
    reading.held = act;
    tell(say("light-again"), "light");
    return true;
  }

  function tell(words, about) {
    const text = document.createElement("p");
    text.className = "message";
    if (about) text.dataset[about] = "";
    text.textContent = words;
    document.getElementById("ballot-message").replaceChildren(text);
  }

  // ---- sending -------------------------------------------------------------------------------
  const isVote = (form) => form?.id === "ballot-form" || form?.id === "ballot-other";

  function busy(on) {
    const bar = document.querySelector(".ballot .bar");
    if (!bar) return;
    bar.toggleAttribute("data-busy", on);
    document.getElementById("vote-button").setAttribute("aria-busy", String(on));
  }

  document.addEventListener("submit", (event) => {
    if (!reading || !isVote(event.target)) return;
    if (document.querySelector(".bar").hasAttribute("data-busy") || holdsBack(event)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    writeReading();
    document.getElementById("ballot-message").replaceChildren();
    if (window.htmx) busy(true);
  }, true);

  document.addEventListener("htmx:error", (event) => {
    if (!ballot() || !event.detail?.ctx?.request) return;
    tell(say("lost"));
  });

  document.addEventListener("htmx:finally:request", () => {
    busy(false);
    if (reading && ballot() === reading.ballot) refresh();
  });

  document.addEventListener("change", (event) => {
    if (reading && event.target.form?.id === "ballot-form") {
      keepApart(event.target);
      refresh();
    }
  });

  document.addEventListener("click", (event) => {
    if (!reading) return;
    reading.byPointer = event.detail > 0; // a key that presses a button counts no clicks
    if (event.target.closest("#vote-button")) onVoteClick(event);
    if (event.target.closest("#vote-change")) {
      disarm();
      document.getElementById("vote-button").focus();
    }
  });

  // A report that arrived gives the answers their place back, and later the bar its own.
  function thank() {
    const thanks = reading && document.querySelector("#ballot-message [data-done=reported]");
    const panel = thanks && document.querySelector(".ballot .more[open]");
    if (!panel) return;
    panel.open = false;
    panel.querySelector("summary").focus({ focusVisible: false });
    setTimeout(() => thanks.remove(), THANKS_MS);
  }

  // A tap on the worst already chosen takes it back.
  document.addEventListener("pointerdown", (event) => {
    const radio = event.target.closest?.(".pick-worst input:checked:not([value=''])");
    if (radio) radio.addEventListener("click", () => choose("worst", ""), { once: true });
  });

  for (const sign of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"]) {
    document.addEventListener(sign, () => { lastSign = performance.now(); }, { capture: true, passive: true });
  }

  function start() {
    const shown = ballot();
    if (!shown) { reading = null; return; }
    if (reading?.ballot === shown) return;
    const now = performance.now();
    const voteWord = document.querySelector("#vote-button span").textContent;
    reading = { ballot: shown, ms: 0, shares: { A: 0, B: 0, C: 0, D: 0 }, last: now, voteWord };
    waitUntil = now + 1000 * Number(shown.dataset.wait);
    for (const letter of "ABCD") showSeen(letter, 0);
    refresh();
    showWait();
    sample();
  }

  setInterval(() => {
    sample();
    if (reading?.ballot.isConnected) showWait();
  }, STEP_MS);

  document.addEventListener("visibilitychange", sample);
  document.addEventListener("scroll", sample, { capture: true, passive: true });
  document.addEventListener("htmx:after:swap", () => {
    start();
    const message = reading && document.querySelector("#ballot-message [data-retry]");
    if (message) waitUntil = performance.now() + 1000 * Number(message.dataset.retry);
    thank();
  });
  document.addEventListener("arena:choose", (event) => { if (reading) choose(event.detail.pick, event.detail.letter); });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
