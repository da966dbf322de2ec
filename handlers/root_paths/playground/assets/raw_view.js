/**
 * @module
 * The exchange as it went over the wire: the request for a shell, the answer's headers, its events or its body.
 */

import { element, find } from "./dom.js";

/** @typedef {import("./exchange.js").Exchange} Exchange */
/** @typedef {import("./request.js").Request} Request */

const MOST_EVENTS = 2000;

export class RawView {
  constructor() {
    this.curl = find("#curl");
    this.headers = find("#headers");
    this.events = find("#events");
    this.count = find("#event-count");
    /** @type {Request | null} */
    this.request = null;
    this.numShown = 0;
    find("#copy").addEventListener("click", (/** @type {any} */ event) => this.copy(event.currentTarget));
  }

  /** @param {Request} request */
  showRequest(request) {
    this.request = request;
    this.curl.textContent = request.curl(true);
  }

  clear() {
    this.numShown = 0;
    this.headers.replaceChildren();
    this.events.replaceChildren();
    this.count.textContent = "";
  }

  /** @param {Exchange} exchange */
  show({ status, statusText, headers, events, body }) {
    if (status && !this.headers.hasChildNodes()) {
      const first = element("div", { class: "status-line" }, `HTTP ${status} ${statusText}`);
      this.headers.append(first, ...headers.map(([name, value]) => element("div", {}, element("b", {}, name), `: ${value}`)));
    }
    if (body !== null && !this.events.hasChildNodes()) this.events.append(element("pre", {}, body || "(an empty body)"));
    for (const event of events.slice(this.numShown, MOST_EVENTS)) this.events.append(row(event));
    this.numShown = events.length;
    this.count.textContent = events.length ? `${events.length}` : "";
  }

  /** The key stands in what is copied, though it is not shown. @param {HTMLElement} button */
  async copy(button) {
    if (!this.request) return;
    const text = this.request.curl();
    const isDone = await write(text);
    button.textContent = isDone ? "Copied" : "Could not copy";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  }
}

/** @param {string} text @returns {Promise<boolean>} whether it stands in the clipboard */
async function write(text) {
  if (!navigator.clipboard) return fallback(text);
  return navigator.clipboard.writeText(text).then(() => true, () => fallback(text));
}

/** The clipboard's interface is there only under https and on localhost. @param {string} text @returns {boolean} */
function fallback(text) {
  const area = /** @type {HTMLTextAreaElement} */ (element("textarea", { class: "offscreen", value: text }));
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  return isDone;
}

/** @param {import("./exchange.js").RawEvent} event @returns {HTMLElement} */
function row({ at_ms, name, data }) {
  return element("div", { class: "event" }, element("time", {}, `${at_ms.toFixed(0)} ms`), name && element("b", {}, name), element("code", {}, data));
}
