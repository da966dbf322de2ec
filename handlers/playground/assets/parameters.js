/**
 * @module
 * The fields of a request outside its body: in its path, its query and its headers.
 */

import { element, prose } from "./dom.js";
import { boundsOf } from "./schema.js";

/** @typedef {import("./contract.js").Operation} Operation */

/**
 * Shows a field for each parameter.
 *
 * @param {HTMLElement} place
 * @param {Operation} operation
 * @param {() => void} onChange
 * @returns {Record<string, string>} the values by name, which the fields keep up to date
 */
export function parameters(place, operation, onChange) {
  /** @type {Record<string, string>} */
  const values = {};
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
        mark();
        onChange();
      },
    });
    const problem = element("p", { class: "problem", role: "alert", hidden: true }, "is required");
    const mark = () => {
      const isMissing = one.required && !values[one.name];
      problem.hidden = !isMissing;
      row.classList.toggle("is-wrong", isMissing);
    };
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
    mark();
    return row;
  });
  place.replaceChildren(...rows);
  place.hidden = !rows.length;
  return values;
}
