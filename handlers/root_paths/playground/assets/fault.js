/**
 * @module
 * Which field an error is about: what it names, looked for among the fields of the request.
 */

import { format, get, parse } from "./path.js";

/**
 * @param {any} error as the contract words it
 * @param {any} body what was sent
 * @param {(path: string) => boolean} isField whether the form knows of such a place
 * @returns {{path: string, message: string} | null} path: of the most exact place that is named
 */
export function faultOf(error, body, isField) {
  const said = texts(error);
  const message = said.find(({ name }) => name === "message" || name === "error")?.text ?? said[0]?.text ?? "";
  const param = said.find(({ name }) => name === "param");
  const named = param ? [param.text] : said.flatMap(({ text }) => names(text));
  const exists = (/** @type {string} */ path) => isField(path) || get(body, parse(path)) !== undefined;
  const paths = [...joined(named), ...named].filter((path) => path && exists(path));
  if (!paths.length) return null;
  const best = paths.reduce((one, other) => (parse(other).length > parse(one).length ? other : one));
  return { path: best, message };
}

/** All texts of an error's body, with the names that they stand under. @param {any} value @param {string} [name] @returns {{name: string, text: string}[]} */
function texts(value, name = "") {
  if (typeof value === "string") return [{ name, text: value }];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, one]) => texts(one, Array.isArray(value) ? name : key));
}

/** What may be a place in a text: `messages[0].content`, `messages.0.content`, `temperature`. @param {string} text @returns {string[]} */
function names(text) {
  const found = text.match(/[A-Za-z_][\w-]*(?:\.[A-Za-z_0-9][\w-]*|\[\d+\])*/g) ?? [];
  return found.map((name) => format(parse(name.replace(/\.(\d+)(?=\.|$)/g, "[$1]"))));
}

/** A name after the object that it stands in, where both are told apart: `'parameters': input 'temperature'`. @param {string[]} named @returns {string[]} */
function joined(named) {
  return named.flatMap((outer, place) => named.slice(place + 1).map((inner) => `${outer}.${inner}`));
}
