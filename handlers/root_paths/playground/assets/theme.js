/**
 * @module
 * Light or dark: as the system says, until the reader says otherwise.
 */

const NAME = "verbatim-theme";
const ORDER = ["auto", "light", "dark"];

/** @param {HTMLElement} button */
export function initTheme(button) {
  apply(button, sessionStorage.getItem(NAME) ?? "auto");
  button.addEventListener("click", () => {
    const next = ORDER[(ORDER.indexOf(document.documentElement.dataset.theme ?? "auto") + 1) % ORDER.length];
    sessionStorage.setItem(NAME, next);
    apply(button, next);
  });
}

/** @param {HTMLElement} button @param {string} theme */
function apply(button, theme) {
  document.documentElement.dataset.theme = theme;
  button.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme] ?? "◐";
  button.setAttribute("aria-label", `theme: ${theme}`);
  button.title = `theme: ${theme}`;
}
