/**
 * @module
 * Controls that edit one value, one for each kind of value. Each shows a value, and says when it changes.
 */

import { element } from "./dom.js";
import { keep } from "./files.js";

/** @typedef {import("./schema.js").Kind} Kind */
/** @typedef {(value: any) => void} OnChange told undefined where nothing is to be sent */
/** @typedef {{id: string, name: string, kind: Kind, value: any, onChange: OnChange}} Given */

/** @param {Given} given @returns {HTMLElement} */
export function control(given) {
  const { kind, value } = given;
  const fits = value === undefined || value === null || FITS[kind.control]?.(value, kind);
  const make = fits ? (MAKERS[kind.control] ?? json) : json;
  return make(given);
}

/** @type {Record<string, (given: Given) => HTMLElement>} */
const MAKERS = { boolean, integer: number, number, text, choice, file, json };

/** @type {Record<string, (value: any, kind: Kind) => boolean>} */
const FITS = {
  boolean: (value) => typeof value === "boolean",
  integer: (value) => typeof value !== "object" && typeof value !== "boolean",
  number: (value) => typeof value !== "object" && typeof value !== "boolean",
  text: (value) => typeof value === "string",
  choice: (value, kind) => kind.options.includes(value),
  file: (value) => typeof value === "string",
};

/** @param {Kind} kind @param {any} value @returns {string} what an empty control says */
function placeholder(kind, value) {
  if (value === null) return "null";
  return kind.initial === undefined || kind.initial === null ? "not sent" : `${JSON.stringify(kind.initial)} if not sent`;
}

/** @param {Given} given @param {string} type */
function shared({ id, kind, value }, type) {
  return { id, placeholder: placeholder(kind, value), autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-said`, ...(type ? { type } : {}) };
}

/** @param {Given} given */
function boolean(given) {
  return selection(given, [["true", true], ["false", false]]);
}

/** @param {Given} given */
function choice(given) {
  return selection(given, given.kind.options.map((option) => [option, option]));
}

/** @param {Given} given @param {[string, any][]} options */
function selection({ id, kind, value, onChange }, options) {
  const first = element("option", { value: "" }, placeholder(kind, value));
  const others = options.map(([label], place) => element("option", { value: place, selected: options[place][1] === value }, label));
  const select = element("select", { id, "aria-describedby": `${id}-said` }, first, ...others);
  select.addEventListener("change", () => {
    const chosen = /** @type {HTMLSelectElement} */ (select).value;
    onChange(chosen === "" ? undefined : options[Number(chosen)][1]);
  });
  return select;
}

/** A number that is none goes on as text, so that it is marked, and can be sent to see what the server says. @param {Given} given */
function number(given) {
  const { value, onChange } = given;
  const input = element("input", { ...shared(given, "text"), inputmode: "decimal", value: value ?? "" });
  input.addEventListener("input", () => {
    const text = /** @type {HTMLInputElement} */ (input).value.trim();
    onChange(text === "" ? undefined : Number.isNaN(Number(text)) ? text : Number(text));
  });
  return input;
}

/** @param {Given} given */
function text(given) {
  const { kind, value, onChange } = given;
  const area = element("textarea", { ...shared(given, ""), rows: 1, value: value ?? "" });
  area.addEventListener("input", () => {
    const written = /** @type {HTMLTextAreaElement} */ (area).value;
    onChange(written === "" ? undefined : kind.takesLists ? listOr(written) : written);
  });
  return area;
}

/** A file, whose name stands for it in the body. @param {Given} given */
function file({ id, value, onChange }) {
  const input = element("input", { id, type: "file", "aria-describedby": `${id}-said` });
  const name = element("span", {}, value ? `${value}, to be chosen` : "");
  input.addEventListener("change", () => {
    const [picked] = /** @type {HTMLInputElement} */ (input).files ?? [];
    name.textContent = "";
    onChange(picked ? keep(picked) : undefined);
  });
  return element("div", {}, input, name);
}

/** @param {string} text @returns {any} the list that it writes in JSON, else the text */
function listOr(text) {
  const value = text.startsWith("[") ? parsed(text) : undefined;
  return value === undefined ? text : value;
}

/** What is no JSON goes on as text. @param {Given} given */
function json(given) {
  const { value, onChange } = given;
  const shown = value === undefined ? "" : JSON.stringify(value, null, value && JSON.stringify(value).length > 60 ? 2 : 0);
  const area = element("textarea", { ...shared(given, ""), rows: 1, class: "code", value: shown });
  area.addEventListener("input", () => {
    const written = /** @type {HTMLTextAreaElement} */ (area).value;
    if (written.trim() === "") onChange(undefined);
    else onChange(parsed(written) ?? written);
  });
  return area;
}

/** @param {string} text @returns {any} undefined if it is no JSON */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
