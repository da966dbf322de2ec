/**
 * @module
 * One of the answers: thoughts and calls set apart from the text, the text in the colours of its tokens.
 */

import { element } from "./dom.js";
import { TokenView } from "./token_view.js";

/** @typedef {import("./answer.js").Choice} Choice */
/** @typedef {import("./answer.js").Segment} Segment */

const TITLES = { text: "", prompt: "", reasoning: "Reasoning", call: "Tool call", refusal: "Refusal" };

export class ChoiceView {
  /** @param {Choice} choice */
  constructor(choice) {
    this.choice = choice;
    /** @type {Map<Segment, HTMLElement>} the element that holds a segment's text */
    this.shown = new Map();
    this.title = element("h3", { hidden: true }, `Answer ${choice.index + 1}`);
    this.finish = element("span", { class: "finish", hidden: true });
    this.body = element("div", { class: "segments" });
    this.none = element("p", { class: "none", hidden: true }, "The answer has no text.");
    this.tokens = new TokenView();
    this.strip = element("div", { class: "strip", hidden: true }, element("p", { class: "strip-title" }, "Tokens"));
    this.legend = element("p", { class: "legend", hidden: true }, "likely", element("span", { class: "ramp" }), "surprising");
    this.element = element("section", { class: "choice" }, element("header", {}, this.title, this.finish), this.body, this.none, this.strip, this.legend);
  }

  /** @param {boolean} isOneOfMany @param {boolean} isOver */
  show(isOneOfMany, isOver) {
    const { choice } = this;
    this.none.hidden = !isOver || choice.segments.length > 0 || choice.tokens.some((one) => !one.isSpecial);
    this.title.hidden = !isOneOfMany;
    this.finish.hidden = choice.finish === null;
    this.finish.textContent = this.finish.dataset.reason = choice.finish ?? "";
    for (const segment of this.shown.keys()) if (!choice.segments.includes(segment)) this.forget(segment);
    this.showTokens();
    for (const segment of choice.segments) this.showSegment(segment);
  }

  remove() {
    this.tokens.remove();
    this.element.remove();
  }

  /** @param {Segment} segment */
  forget(segment) {
    this.shown.get(segment)?.closest(".segment")?.remove();
    this.shown.delete(segment);
  }

  /** @param {Segment} segment */
  showSegment(segment) {
    let place = this.shown.get(segment);
    if (!place) {
      place = element(segment.kind === "call" ? "pre" : "div", { class: "segment-text" });
      const isFolded = segment.kind === "reasoning";
      const title = element(isFolded ? "summary" : "p", { class: "segment-title" }, TITLES[segment.kind]);
      this.body.append(element(isFolded ? "details" : "div", { class: `segment ${segment.kind}` }, TITLES[segment.kind] && title, place));
      this.shown.set(segment, place);
    }
    if (segment.kind === "call") showCall(segment, place);
    else if (segment === this.colouredSegment()) {
      if (this.tokens.element.parentElement !== place) place.replaceChildren(this.tokens.element);
    } else if (place.textContent !== segment.text) append(place, segment.text);
  }

  /** The text that the tokens are, one for one; they stand apart from all else. @returns {Segment | undefined} */
  colouredSegment() {
    const { segments, tokens } = this.choice;
    const texts = segments.filter((one) => one.kind === "text");
    if (!tokens.length || texts.length !== 1) return undefined;
    const written = tokens.filter((one) => !one.isSpecial).map((one) => one.text).join("");
    const { text } = texts[0];
    return written.startsWith(text) && written.length - text.length < 24 ? texts[0] : undefined;
  }

  showTokens() {
    const { tokens } = this.choice;
    if (!tokens.length) return;
    this.tokens.show(tokens);
    const isApart = !this.colouredSegment();
    if (isApart && this.tokens.element.parentElement !== this.strip) this.strip.append(this.tokens.element);
    this.strip.hidden = !isApart;
    this.legend.hidden = tokens.every((one) => one.logprob === null);
  }
}

/** Adds what came since, so that a selection of the reader's stays. @param {HTMLElement} place @param {string} text */
function append(place, text) {
  const node = place.firstChild;
  if (place.childNodes.length === 1 && node instanceof Text && text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
  else place.textContent = text;
}

/** @param {Segment} call @param {HTMLElement} place */
function showCall({ name, id, text }, place) {
  place.replaceChildren(element("span", { class: "call-name" }, name || "…"), element("span", { class: "call-id" }, id), element("code", {}, pretty(text)));
}

/** @param {string} text JSON, or what has come of it @returns {string} */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
