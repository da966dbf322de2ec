/**
 * @module
 * The answer as it comes: how long it took, what it says, what it counted, what went wrong.
 */

import { ChoiceView } from "./choice_view.js";
import { element } from "./dom.js";

/** @typedef {import("./exchange.js").Exchange} Exchange */
/** @typedef {import("./answer.js").Answer} Answer */

const CONDITIONS = { waiting: "waiting for the first byte", streaming: "streaming", done: "done", stopped: "stopped", failed: "no answer" };

export class AnswerView {
  constructor() {
    this.status = element("span", { class: "status", role: "status" });
    this.chips = element("div", { class: "chips" });
    this.error = element("div", { class: "error", role: "alert", hidden: true });
    this.choices = element("div", { class: "choices" });
    this.value = element("div", { class: "value", hidden: true });
    this.facts = element("dl", { class: "facts", hidden: true });
    this.element = element("div", { class: "exchange" }, this.status, this.chips, this.error, this.choices, this.value, this.facts);
    /** @type {ChoiceView[]} */
    this.views = [];
  }

  remove() {
    this.views.forEach((view) => view.remove());
    this.element.remove();
  }

  /** @param {Exchange} exchange */
  show(exchange) {
    this.showStatus(exchange);
    this.chips.replaceChildren(...chips(exchange));
    this.showError(exchange);
    this.showChoices(exchange);
    this.showValue(exchange.answer);
    this.showFacts(exchange.answer);
  }

  /** @param {Exchange} exchange */
  showStatus({ condition, status, statusText }) {
    this.status.dataset.condition = status >= 400 ? "failed" : condition;
    const told = status ? `${status} ${statusText}` : "";
    this.status.textContent = condition === "done" ? told : [told, CONDITIONS[condition]].filter(Boolean).join(" · ");
  }

  /** @param {Exchange} exchange */
  showError({ answer, failure }) {
    const isShown = answer.error !== null || failure !== "";
    this.error.hidden = !isShown;
    if (!isShown) return;
    const title = failure ? "The server could not be reached" : "The contract's own error";
    const body = failure || JSON.stringify(answer.error, null, 2);
    if (this.error.dataset.body === body) return;
    this.error.dataset.body = body;
    this.error.replaceChildren(element("p", { class: "error-title" }, title), element("pre", {}, body));
  }

  /** @param {Exchange} exchange */
  showChoices({ answer, condition }) {
    const present = answer.choices.filter(Boolean);
    const isOver = condition !== "waiting" && condition !== "streaming";
    present.forEach((choice, place) => {
      if (!this.views[place]) {
        this.views[place] = new ChoiceView(choice);
        this.choices.append(this.views[place].element);
      }
      this.views[place].show(present.length > 1, isOver);
    });
  }

  /** @param {Answer} answer */
  showValue({ value, vectors }) {
    this.value.hidden = value === undefined && !vectors.length;
    if (this.value.hidden || this.value.hasChildNodes()) return;
    if (vectors.length) this.value.replaceChildren(...vectors.map(vector));
    else this.value.replaceChildren(element("pre", {}, typeof value === "string" ? value || "(an empty answer)" : JSON.stringify(value, null, 2)));
  }

  /** @param {Answer} answer */
  showFacts({ facts }) {
    this.facts.hidden = !facts.size;
    this.facts.replaceChildren(...[...facts].map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  }
}

/** @param {Exchange} exchange @returns {HTMLElement[]} */
function chips(exchange) {
  const { first_ms, total_ms, rate, answer, condition } = exchange;
  const isStream = exchange.body === null && exchange.status > 0;
  const unit = exchange.isCounted ? "tokens" : "pieces";
  /** @type {[string, string | null][]} */
  const told = [
    ["first token", isStream && first_ms !== null ? duration(first_ms) : null],
    [`${unit}/s`, rate === null ? null : rate.toPrecision(3)],
    [unit, exchange.numTokens && answer.choices.length ? String(exchange.numTokens) : null],
    ["mean probability", mean(answer)],
    ["total", condition === "waiting" || condition === "streaming" ? null : duration(total_ms)],
  ];
  return told
    .filter(([, value]) => value !== null)
    .map(([name, value]) => element("div", { class: "chip", "data-chip": name }, element("strong", {}, value), element("span", {}, name)));
}

/** The geometric mean over the tokens, which is one over the perplexity. @param {Answer} answer @returns {string | null} */
function mean(answer) {
  const logprobs = answer.choices.flatMap((choice) => choice.tokens.map((one) => one.logprob)).filter((one) => one !== null);
  if (!logprobs.length) return null;
  const sum = logprobs.reduce((/** @type {number} */ a, b) => a + Number(b), 0);
  return `${(100 * Math.exp(sum / logprobs.length)).toPrecision(3)}%`;
}

/** @param {number} ms @returns {string} */
function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** A vector as bars, its largest entry at full height. @param {{values: number[], index: number}} one @returns {HTMLElement} */
function vector({ values, index }) {
  const largest = Math.max(...values.map(Math.abs)) || 1;
  const bars = values.slice(0, 256).map((value) => {
    const bar = element("span", { class: value < 0 ? "below" : "above", title: String(value) });
    bar.style.setProperty("--share", String(Math.abs(value) / largest));
    return bar;
  });
  const title = `vector ${index}, ${values.length} numbers${values.length > bars.length ? `, the first ${bars.length} shown` : ""}`;
  return element("figure", { class: "vector" }, element("figcaption", {}, title), element("div", { class: "vector-bars" }, ...bars));
}
