/**
 * @module
 * A form for a request's body, made from its schema: the fields that it has, needs or that an example shows, and
 * all others below.
 */

import { control } from "./control.js";
import { Conversation } from "./conversation.js";
import { element, prose } from "./dom.js";
import { imageForm } from "./images.js";
import { format, get, parent, set } from "./path.js";
import { branches, kindOf, rolesOf } from "./schema.js";

/** @typedef {import("./contract.js").Operation} Operation */
/** @typedef {import("./contract.js").Schema} Schema */
/** @typedef {import("./validator.js").Problem} Problem */
/** @typedef {import("./path.js").Steps} Steps */

const WIDE = new Set(["json", "messages", "object"]);

export class Form {
  /**
   * @param {HTMLElement} place where the form is shown
   * @param {Operation} operation with a body
   * @param {(body: any) => void} onChange
   */
  constructor(place, operation, onChange) {
    this.place = place;
    this.operation = operation;
    this.onChange = onChange;
    /** @type {any} */
    this.body = {};
    /** @type {Map<string, HTMLElement>} rows by path */
    this.rows = new Map();
    this.hasAllShown = false;
    /** @type {Conversation | null} */
    this.conversation = null;
  }

  /** @param {any} body */
  show(body) {
    this.body = body;
    this.conversation = null;
    this.rows.clear();
    const [schema] = branches(this.operation.contract, this.operation.schema ?? {});
    const shown = this.operation.examples.map((one) => one.value);
    this.place.replaceChildren(...this.fields(schema ?? {}, [], shown));
  }

  /** Whether the request may have such a field. @param {string} path */
  has(path) {
    return this.rows.has(path);
  }

  /** @param {Problem[]} problems @param {boolean} [isTold] whether the server says so */
  mark(problems, isTold = false) {
    for (const row of this.place.querySelectorAll(isTold ? ".is-refused" : ".is-wrong")) clear(row, isTold);
    for (const { path, message } of problems) this.markOne(path, message, isTold);
  }

  /** Marks the field, or the nearest around it that the form shows. @param {string} path @param {string} message @param {boolean} isTold */
  markOne(path, message, isTold) {
    let at = path;
    while (at && !this.row(at)) at = parent(at);
    const row = this.row(at);
    if (!row) return;
    row.classList.add(isTold ? "is-refused" : "is-wrong");
    const said = /** @type {HTMLElement} */ (row.querySelector(":scope > .problem"));
    const inner = at === path ? "" : `${path.slice(at.length).replace(/^\./, "")} `;
    said.textContent = isTold ? `The server: ${message}` : inner + message;
    said.hidden = false;
    for (let outer = row.parentElement; outer && outer !== this.place; outer = outer.parentElement) {
      if (outer instanceof HTMLDetailsElement) outer.open = true;
    }
    if (isTold) row.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} path @returns {HTMLElement | null} */
  row(path) {
    return this.rows.get(path) ?? this.place.querySelector(`[data-path="${CSS.escape(path)}"]`);
  }

  /** @param {Schema} schema of an object @param {Steps} steps @param {any[]} examples @returns {HTMLElement[]} */
  fields(schema, steps, examples) {
    const given = get(this.body, steps) ?? {};
    const isCommon = (/** @type {string} */ name) =>
      (schema.required ?? []).includes(name) || Object.hasOwn(given, name) || examples.some((one) => one && typeof one === "object" && Object.hasOwn(one, name));
    const names = Object.keys(schema.properties ?? {});
    const rank = (/** @type {string} */ name) => ((schema.required ?? []).includes(name) ? 0 : Object.hasOwn(given, name) ? 1 : 2);
    const rows = (/** @type {string[]} */ some) => some.map((name) => this.field(schema, name, steps, examples));
    const common = rows(names.filter(isCommon).sort((one, other) => rank(one) - rank(other)));
    const rest = names.filter((name) => !isCommon(name));
    const grid = element("div", { class: "grid" }, ...common);
    return rest.length ? [grid, this.more(rest.length, rows(rest), !steps.length)] : [grid];
  }

  /** @param {number} count @param {HTMLElement[]} rows @param {boolean} isOuter */
  more(count, rows, isOuter) {
    const summary = element("summary", {}, `${count} more ${count === 1 ? "field" : "fields"}`);
    const filter = element("input", {
      type: "search",
      class: "filter",
      placeholder: "find a field",
      "aria-label": "find a field",
      oninput: (/** @type {any} */ event) => {
        for (const row of rows) row.hidden = !String(row.dataset.path).includes(event.target.value.trim());
      },
    });
    const many = element("details", { class: "more", open: isOuter && this.hasAllShown }, summary, count > 8 && filter, element("div", { class: "grid" }, ...rows));
    if (isOuter) many.addEventListener("toggle", () => (this.hasAllShown = /** @type {HTMLDetailsElement} */ (many).open));
    return many;
  }

  /** @param {Schema} schema @param {string} name @param {Steps} steps @param {any[]} examples @returns {HTMLElement} */
  field(schema, name, steps, examples) {
    const kind = kindOf(this.operation.contract, schema.properties[name]);
    const here = [...steps, name];
    const path = format(here);
    const id = `field-${path}`;
    const isNeeded = (schema.required ?? []).includes(name);
    const shown = examples.map((one) => one?.[name]);
    const isWide = WIDE.has(kind.control) || isProse([get(this.body, here), ...shown]);
    const row = element(
      "div",
      { class: `field ${isWide ? "wide" : ""} ${kind.control}`, "data-path": path },
      label(kind, id, name, isNeeded),
      this.editor(kind, id, here, shown),
      kind.help && element("p", { class: "help", id: `${id}-said`, title: kind.help }, ...prose(kind.help)),
      element("p", { class: "problem", role: "alert", hidden: true }),
    );
    this.rows.set(path, row);
    return row;
  }

  /** @param {import("./schema.js").Kind} kind @param {string} id @param {Steps} steps @param {any[]} examples @returns {HTMLElement} */
  editor(kind, id, steps, examples) {
    const value = get(this.body, steps);
    const onChange = (/** @type {any} */ next) => {
      set(this.body, steps, next);
      this.onChange(this.body);
    };
    if (kind.control === "object") return element("div", { class: "inner", id }, ...this.fields(kind.schema, steps, examples));
    if (kind.control === "messages" && (value === undefined || Array.isArray(value))) {
      const { contract } = this.operation;
      this.conversation = new Conversation(id, format(steps), rolesOf(contract, kind.schema), value, onChange, imageForm(contract, kind.schema));
      return this.conversation.element;
    }
    return control({ id, name: format(steps), kind, value, onChange });
  }
}

/** @param {import("./schema.js").Kind} kind @param {string} id @param {string} name @param {boolean} isNeeded */
function label(kind, id, name, isNeeded) {
  const notes = [
    isNeeded && element("span", { class: "needed", title: "required" }, "required"),
    kind.control === "refused" && element("span", { class: "note" }, "refused here"),
    kind.deprecated && element("span", { class: "note" }, "deprecated"),
    kind.bounds && element("span", { class: "bounds" }, kind.bounds),
  ];
  return element("label", { for: id }, element("span", { class: "name" }, name), ...notes);
}

/** Whether any of the values is a text of several words. @param {any[]} values @returns {boolean} */
function isProse(values) {
  return values.some((value) => typeof value === "string" && /\s/.test(value));
}

/** @param {Element} row @param {boolean} isTold */
function clear(row, isTold) {
  row.classList.remove(isTold ? "is-refused" : "is-wrong");
  const said = /** @type {HTMLElement} */ (row.querySelector(":scope > .problem"));
  if (row.classList.contains("is-wrong") || row.classList.contains("is-refused")) return;
  said.textContent = "";
  said.hidden = true;
}

