/**
 * @module
 * One request as it goes out: to the server, or into a shell as a curl command.
 */

import * as credentials from "./credentials.js";
import { parts } from "./files.js";

/** @typedef {import("./contract.js").Operation} Operation */

const FORM = "multipart/form-data";

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
    // Next to the page, so that a prefix that a proxy adds is kept.
    this.url = new URL(`${operation.contract.name}${path}${query.size ? `?${query}` : ""}`, document.baseURI).href;
    this.method = operation.method;
    /** @type {[string, string | File][] | null} the parts of a form, where the body is one that can be read */
    this.parts = operation.mediaType === FORM ? formParts(operation, body) : null;
    /** @type {string | FormData | null} */
    this.body = this.parts ? form(this.parts) : operation.schema ? body : null;
    this.key = key;
    /** @type {Record<string, string>} */
    this.headers = {
      // A form's type names its boundary, which the browser draws.
      ...(operation.schema && !this.parts ? { "content-type": operation.mediaType ?? "application/json" } : {}),
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
    for (const [name, part] of this.parts ?? []) {
      lines.push(typeof part === "string" ? `--form-string ${quoted(`${name}=${part}`)}` : `-F ${quoted(`${name}=@${part.name}`)}`);
    }
    if (typeof this.body === "string") lines.push(`--data-raw ${quoted(this.body)}`);
    return lines.join(" \\\n  ");
  }
}

/** @param {Operation} operation @param {string} body @returns {[string, string | File][] | null} null if the body is no object */
function formParts(operation, body) {
  const properties = operation.contract.resolve(operation.schema).properties ?? {};
  try {
    return parts(Object(JSON.parse(body)), (name) => operation.contract.resolve(properties[name])?.format === "binary");
  } catch {
    return null;
  }
}

/** @param {[string, string | File][]} given */
function form(given) {
  const data = new FormData();
  for (const [name, part] of given) data.append(name, part);
  return data;
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
