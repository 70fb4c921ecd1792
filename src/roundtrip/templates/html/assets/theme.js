// Runs before the first paint, so that a remembered mode does not flash.
(() => {
  "use strict";
  const root = document.documentElement;
  const key = "roundtrip-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");

  const remembered = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage may be forbidden; the system's mode is used then
    }
  };

  const mode = () => {
    const chosen = root.dataset.theme;
    return chosen || (system.matches ? "dark" : "light");
  };

  const announce = () => {
    document.dispatchEvent(new Event("roundtrip:theme"));
  };

  const choose = (theme) => {
    root.dataset.theme = theme;
    try {
      localStorage.setItem(key, theme);
    } catch {
      // not remembered, but used on this page
    }
    announce();
  };

  const theme = remembered();
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  root.classList.add("js");
  system.addEventListener("change", () => {
    if (!root.dataset.theme) announce();
  });
  window.roundtripTheme = { mode, choose };
})();
