/**
 * @module
 * The key of a server that asks for one; it lives as long as the tab, and in no other place.
 */

/** @typedef {import("./contract.js").Operation} Operation */

const NAME = "verbatim-key";

/** @returns {string} */
export function key() {
  return sessionStorage.getItem(NAME) ?? "";
}

/** @param {string} value */
export function keep(value) {
  if (value) sessionStorage.setItem(NAME, value);
  else sessionStorage.removeItem(NAME);
}

/**
 * The headers that the operation's document asks a key in.
 *
 * @param {Operation} operation
 * @param {string} value
 * @returns {Record<string, string>}
 */
export function headers(operation, value) {
  if (!value) return {};
  const named = operation.security.find((/** @type {any} */ one) => one.type === "apiKey" && one.in === "header");
  if (named) return { [named.name]: value };
  return operation.security.length ? { authorization: `Bearer ${value}` } : {};
}
