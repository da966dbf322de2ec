/**
 * @module
 * One request and its answer, timed in the page and kept as it came.
 */

import { Answer } from "./answer.js";
import { read } from "./shapes.js";
import { EventReader } from "./sse.js";

/** @typedef {import("./request.js").Request} Request */
/** @typedef {{at_ms: number, name: string, data: string}} RawEvent */

export class Exchange {
  /** @param {Request} request */
  constructor(request) {
    this.request = request;
    this.answer = new Answer();
    /** @type {"waiting" | "streaming" | "done" | "stopped" | "failed"} */
    this.condition = "waiting";
    this.status = 0;
    this.statusText = "";
    /** @type {[string, string][]} */
    this.headers = [];
    /** @type {RawEvent[]} */
    this.events = [];
    /** @type {string | null} the body of an answer that is no stream */
    this.body = null;
    this.failure = "";
    /** @type {number | null} */
    this.first_ms = null;
    /** @type {number | null} */
    this.last_ms = null;
    this.total_ms = 0;
    this.began = performance.now();
    this.abort = new AbortController();
  }

  /** Sends, and reads until the answer ends. @param {() => void} onChange */
  async run(onChange) {
    try {
      await this.fetch(onChange);
      this.condition = "done";
    } catch (error) {
      this.condition = this.abort.signal.aborted ? "stopped" : "failed";
      this.failure = this.condition === "stopped" ? "" : `${error}`;
    }
    this.total_ms = this.elapsed();
    onChange();
  }

  /** Ends the request; the server ends the generation when the connection closes. */
  stop() {
    this.abort.abort();
  }

  /** @param {() => void} onChange */
  async fetch(onChange) {
    const { url, method, headers, body } = this.request;
    const response = await fetch(url, { method, headers, body, signal: this.abort.signal });
    this.status = response.status;
    this.statusText = response.statusText;
    this.headers = [...response.headers];
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream") && response.body) {
      this.condition = "streaming";
      onChange();
      await this.readEvents(response.body, onChange);
    } else this.readWhole(await response.text(), type);
  }

  /** @param {ReadableStream<Uint8Array>} stream @param {() => void} onChange */
  async readEvents(stream, onChange) {
    const reader = stream.getReader();
    const decoder = new TextDecoder();
    const events = new EventReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      for (const { name, data } of events.push(decoder.decode(piece.value, { stream: true }))) this.take(name, data);
      onChange();
    }
  }

  /** @param {string} name @param {string} data */
  take(name, data) {
    const at_ms = this.elapsed();
    this.events.push({ at_ms, name, data });
    const value = json(data);
    if (value === undefined) return; // the word that ends a stream
    const numBefore = this.answer.numPieces;
    read(value, this.answer);
    if (this.answer.numPieces > numBefore) {
      this.first_ms ??= at_ms;
      this.last_ms = at_ms;
    }
  }

  /** @param {string} text @param {string} type */
  readWhole(text, type) {
    this.body = text;
    const value = type.includes("json") ? json(text) : undefined;
    if (value === undefined) this.answer.value = text;
    else if (this.status >= 400) this.answer.error = value;
    else read(value, this.answer);
  }

  /** Tokens a second from the first piece to the last; null where too little streamed. @returns {number | null} */
  get rate() {
    const { first_ms, last_ms } = this;
    const numTokens = this.numTokens;
    if (first_ms === null || last_ms === null || last_ms <= first_ms || numTokens < 2) return null;
    return ((numTokens - 1) * 1000) / (last_ms - first_ms);
  }

  /** As the answer counts them, else as it tells them, else the pieces that came. @returns {number} */
  get numTokens() {
    const { numGenerated, numTold, numPieces } = this.answer;
    return numGenerated ?? (numTold || numPieces);
  }

  /** Whether tokens were counted at all, and not pieces of text, which may hold several. @returns {boolean} */
  get isCounted() {
    return this.answer.numGenerated !== null || this.answer.numTold > 0;
  }

  elapsed() {
    return performance.now() - this.began;
  }
}

/** @param {string} text @returns {any} undefined if it is no JSON */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
