/**
 * @module
 * Server-sent events out of a stream's text, as the HTML standard reads them (9.2.6).
 */

/** @typedef {{name: string, data: string}} ServerSentEvent */

export class EventReader {
  constructor() {
    this.rest = "";
    this.name = "";
    /** @type {string[]} */
    this.lines = [];
  }

  /** @param {string} text what came @returns {ServerSentEvent[]} those that are complete with it */
  push(text) {
    const events = [];
    // A carriage return at the end may be half of a line end.
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = line === "" ? this.complete() : this.take(line);
      if (event) events.push(event);
    }
    return events;
  }

  /** @param {string} line @returns {null} */
  take(line) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.lines.push(value);
    if (field === "event") this.name = value;
    return null;
  }

  /** @returns {ServerSentEvent | null} */
  complete() {
    const event = this.lines.length ? { name: this.name, data: this.lines.join("\n") } : null;
    this.name = "";
    this.lines = [];
    return event;
  }
}
