/**
 * @module
 * The fields of a request outside its body: in its path, its query and its headers.
 */

import { element, prose } from "./dom.js";
import { boundsOf } from "./schema.js";

/** @typedef {import("./contract.js").Operation} Operation */

/**
 * @typedef {object} Fields
 * @property {Record<string, string>} values by name, which the fields keep up to date
 * @property {(name: string, message: string) => void} blame marks a field with what the server says of it
 */

/**
 * Shows a field for each parameter.
 *
 * @param {HTMLElement} place
 * @param {Operation} operation
 * @param {() => void} onChange
 * @returns {Fields}
 */
export function parameters(place, operation, onChange) {
  /** @type {Record<string, string>} */
  const values = {};
  /** @type {Record<string, (complaint: string) => void>} */
  const marks = {};
  const rows = operation.parameters.map((one) => {
    values[one.name] = one.initial;
    const id = `parameter-${one.name}`;
    const input = element("input", {
      id,
      value: one.initial,
      placeholder: one.required ? "" : "not sent",
      autocomplete: "off",
      spellcheck: "false",
      oninput: (/** @type {any} */ event) => {
        values[one.name] = event.target.value;
        check();
        onChange();
      },
    });
    const problem = element("p", { class: "problem", role: "alert", hidden: true });
    marks[one.name] = (complaint) => {
      problem.textContent = complaint;
      problem.hidden = !complaint;
      row.classList.toggle("is-wrong", complaint !== "");
    };
    const check = () => marks[one.name](one.required && !values[one.name] ? "is required" : "");
    const bounds = boundsOf(one.schema);
    const row = element(
      "div",
      { class: "field", "data-parameter": one.name },
      element(
        "label",
        { for: id },
        element("span", { class: "name" }, one.name),
        element("span", { class: "note" }, `in the ${one.in}`),
        one.required && element("span", { class: "needed" }, "required"),
        bounds && element("span", { class: "bounds" }, bounds),
      ),
      input,
      one.description && element("p", { class: "help", title: one.description }, ...prose(one.description)),
      problem,
    );
    check();
    return row;
  });
  place.replaceChildren(...rows);
  place.hidden = !rows.length;
  return { values, blame: (name, message) => marks[name](`The server: ${message}`) };
}
