// The theme: the system's until you choose, then remembered. Runs in the head, so no page flashes.
(() => {
  "use strict";
  const root = document.documentElement;
  const order = ["system", "light", "dark"];
  root.classList.add("js");

  const stored = () => {
    try {
      const theme = localStorage.getItem("theme");
      return order.includes(theme) ? theme : "system";
    } catch {
      return root.dataset.theme ?? "system"; // storage is closed: the choice lasts for this page
    }
  };

  const apply = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    const button = document.getElementById("theme-switch");
    if (!button) return;
    const name = button.getAttribute(`data-name-${theme}`);
    button.setAttribute("aria-label", name);
    button.title = name;
  };

  apply(stored());
  document.addEventListener("DOMContentLoaded", () => {
    apply(stored());
    document.getElementById("theme-switch")?.addEventListener("click", () => {
      const theme = order[(order.indexOf(root.dataset.theme ?? "system") + 1) % order.length];
      apply(theme);
      try {
        localStorage.setItem("theme", theme);
      } catch {
        // nothing to do: the page still shows the theme chosen
      }
    });
  });
  window.addEventListener("storage", (event) => {
    if (event.key === "theme") apply(stored());
  });
})();
