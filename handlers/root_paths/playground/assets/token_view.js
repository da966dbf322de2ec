/**
 * @module
 * Tokens as coloured text: the less likely a token was, the stronger its colour. Pointing at one, or walking there
 * with the arrow keys, tells its probability and what else might have come.
 */

import { element } from "./dom.js";

/** @typedef {import("./answer.js").Token} Token */

const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 3 });
const LEAST = 0.0001;

export class TokenView {
  constructor() {
    /** @type {Token[]} */
    this.tokens = [];
    this.element = element("span", { class: "tokens", tabindex: 0, role: "group", "aria-label": "tokens with their probabilities; arrow keys walk" });
    this.tip = element("div", { class: "tip", role: "status", hidden: true });
    this.current = -1;
    this.element.addEventListener("pointerover", (event) => this.pointed(event));
    this.element.addEventListener("click", (event) => this.pointed(event));
    this.element.addEventListener("pointerleave", () => this.leave());
    this.element.addEventListener("blur", () => this.leave());
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** Shows the tokens that came since. @param {Token[]} tokens */
  show(tokens) {
    if (!this.tip.isConnected) document.body.append(this.tip);
    for (const token of tokens.slice(this.tokens.length)) {
      this.element.append(chip(token, this.tokens.length));
      this.tokens.push(token);
    }
  }

  remove() {
    this.tip.remove();
    this.element.remove();
  }

  /** @param {Event} event */
  pointed(event) {
    const chip = /** @type {HTMLElement} */ (event.target).closest?.("[data-place]");
    if (chip instanceof HTMLElement) this.tell(Number(chip.dataset.place));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") this.leave();
    if (!by || !this.tokens.length) return;
    event.preventDefault();
    this.tell(Math.min(Math.max(this.current + by, 0), this.tokens.length - 1));
  }

  leave() {
    this.tip.hidden = true;
    this.element.querySelector(".is-current")?.classList.remove("is-current");
    this.current = -1;
  }

  /** @param {number} place */
  tell(place) {
    this.leave();
    this.current = place;
    const chip = /** @type {HTMLElement} */ (this.element.children[place]);
    chip.classList.add("is-current");
    this.tip.replaceChildren(...told(this.tokens[place]));
    this.tip.hidden = false;
    this.put(chip.getClientRects()[0] ?? chip.getBoundingClientRect());
  }

  /** Below the token, or above where there is no room. @param {DOMRect} at */
  put(at) {
    const { width, height } = this.tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, at.left), innerWidth - width - 8);
    const top = at.bottom + height + 12 > innerHeight ? at.top - height - 6 : at.bottom + 6;
    this.tip.style.transform = `translate(${left}px, ${top}px)`;
  }
}

/** @param {number | null} logprob @returns {number | null} */
function probability(logprob) {
  return logprob === null || logprob === undefined ? null : Math.exp(logprob);
}

/** @param {Token} token @param {number} place @returns {HTMLElement} */
function chip(token, place) {
  const likely = probability(token.logprob);
  const kinds = [token.isSpecial && "special", likely === null && "plain", /^[\r\n]+$/.test(token.text) && "break"];
  const made = element("span", { class: ["token", ...kinds.filter(Boolean)].join(" "), "data-place": place }, token.text);
  if (likely !== null) made.style.setProperty("--surprise", String(1 - likely));
  return made;
}

/** @param {Token} token @returns {HTMLElement[]} */
function told({ text, id, logprob, alternatives }) {
  const likely = probability(logprob);
  const head = element(
    "p",
    { class: "tip-head" },
    element("code", {}, visible(text)),
    likely !== null && element("strong", {}, share(likely)),
  );
  const facts = [id === undefined ? "" : `id ${id}`, logprob === null ? "" : `log-probability ${logprob.toPrecision(4)}`];
  const table = alternatives.map((one) => row(one, one.text === text));
  return [
    head,
    element("p", { class: "tip-facts" }, facts.filter(Boolean).join(" · ")),
    ...(table.length ? [element("div", { class: "alternatives" }, ...table)] : []),
  ];
}

/** @param {import("./answer.js").Alternative} one @param {boolean} isChosen */
function row(one, isChosen) {
  const likely = probability(one.logprob) ?? 0;
  const bar = element("span", { class: "bar" });
  bar.style.setProperty("--share", String(likely));
  return element("div", { class: `alternative ${isChosen ? "chosen" : ""}` }, element("code", {}, visible(one.text)), bar, element("span", {}, share(likely)));
}

/** @param {number} likely @returns {string} */
function share(likely) {
  return likely < LEAST ? `< ${PERCENT.format(LEAST)}` : PERCENT.format(likely);
}

/** @param {string} text @returns {string} white space shown, so that one token can be told from another */
export function visible(text) {
  return text.replaceAll(" ", "␣").replaceAll("\n", "⏎").replaceAll("\t", "⇥") || "(empty)";
}
