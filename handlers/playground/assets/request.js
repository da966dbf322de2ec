/**
 * @module
 * One request as it goes out: to the server, or into a shell as a curl command.
 */

import * as credentials from "./credentials.js";

/** @typedef {import("./contract.js").Operation} Operation */

export class Request {
  /**
   * @param {Operation} operation
   * @param {Record<string, string>} values of the parameters, by name; empty ones are not sent
   * @param {string} body as it was written
   * @param {string} key
   */
  constructor(operation, values, body, key) {
    const given = operation.parameters.filter((one) => values[one.name]);
    const query = new URLSearchParams(given.filter((one) => one.in === "query").flatMap((one) => pairs(one, values[one.name])));
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => slashes(operation, name, values[name] ?? ""));
    // Beside the page, so that a prefix that a proxy adds is kept.
    this.url = new URL(`${operation.contract.name}${path}${query.size ? `?${query}` : ""}`, document.baseURI).href;
    this.method = operation.method;
    /** @type {string | null} */
    this.body = operation.schema ? body : null;
    this.key = key;
    /** @type {Record<string, string>} */
    this.headers = {
      ...(operation.schema ? { "content-type": operation.mediaType ?? "application/json" } : {}),
      ...credentials.headers(operation, key),
      ...Object.fromEntries(given.filter((one) => one.in === "header").map((one) => [one.name, values[one.name]])),
    };
  }

  /** @param {boolean} [isMasked] whether to hide the key @returns {string} what a POSIX shell runs */
  curl(isMasked = false) {
    const lines = [`curl -sS -N -X ${this.method} ${quoted(this.url)}`];
    for (const [name, value] of Object.entries(this.headers)) {
      lines.push(`-H ${quoted(`${name}: ${isMasked && this.key ? value.replace(this.key, "•".repeat(8)) : value}`)}`);
    }
    if (this.body !== null) lines.push(`--data-raw ${quoted(this.body)}`);
    return lines.join(" \\\n  ");
  }
}

/** A list is written with commas, and sent an item at a time. @param {Operation["parameters"][number]} one @param {string} value @returns {string[][]} */
function pairs(one, value) {
  const items = one.schema.type === "array" ? value.split(",").map((item) => item.trim()) : [value];
  return items.map((item) => [one.name, item]);
}

/** A path parameter that may hold slashes keeps them. @param {Operation} operation @param {string} name @param {string} value */
function slashes(operation, name, value) {
  const encoded = encodeURIComponent(value);
  return operation.parameters.some((one) => one.name === name && one.in === "path") ? encoded.replaceAll("%2F", "/") : encoded;
}

/** @param {string} text @returns {string} */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
