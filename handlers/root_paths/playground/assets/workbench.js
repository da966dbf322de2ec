/**
 * @module
 * The request being made: an operation, its parameters, its body as a form and as JSON, kept in step.
 */

import * as credentials from "./credentials.js";
import { element, find } from "./dom.js";
import { faultOf } from "./fault.js";
import { Form } from "./form.js";
import { parameters } from "./parameters.js";
import { Request } from "./request.js";
import { problems } from "./validator.js";

/** @typedef {import("./contract.js").Operation} Operation */

export class Workbench {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.example = find("#example");
    this.exampleField = find("#example-field");
    this.json = find("#json");
    this.jsonProblem = find("#json-problem");
    this.body = find("#body");
    this.bodySection = find("#body-section");
    this.count = find("#problem-count");
    /** @type {Operation | null} */
    this.operation = null;
    /** @type {Form | null} */
    this.form = null;
    /** @type {import("./parameters.js").Fields} */
    this.parameters = { values: {}, blame: () => {} };
    /** What was written for each operation, while the page is open. @type {Map<Operation, string>} */
    this.drafts = new Map();
    this.json.addEventListener("input", () => this.readJson());
    this.example.addEventListener("change", () => this.showExample(Number(this.example.value)));
  }

  /** @param {Operation} operation */
  open(operation) {
    this.operation = operation;
    this.parameters = parameters(find("#parameters"), operation, () => this.onChange());
    this.bodySection.hidden = !operation.schema;
    this.form = operation.schema ? new Form(this.body, operation, (body) => this.takeBody(body)) : null;
    const { examples, firstExample } = operation;
    this.exampleField.hidden = !examples.length;
    this.example.replaceChildren(...examples.map((one, place) => element("option", { value: place, selected: one === firstExample }, one.summary)));
    this.showText(this.drafts.get(operation) ?? written(firstExample?.value ?? {}));
  }

  /** @param {number} place */
  showExample(place) {
    this.showText(written(this.operation?.examples[place].value));
  }

  /** @param {string} text of a body */
  showText(text) {
    this.json.value = text;
    this.readJson();
  }

  /** The text was changed: the form follows. */
  readJson() {
    const text = this.json.value;
    const { value, complaint } = read(text);
    this.jsonProblem.textContent = complaint;
    this.jsonProblem.hidden = !complaint;
    if (!complaint) this.form?.show(value);
    this.check(value, complaint);
  }

  /** The form was changed: the text follows. @param {any} body */
  takeBody(body) {
    this.json.value = written(body);
    this.jsonProblem.hidden = true;
    this.check(body, "");
  }

  /** @param {any} body @param {string} complaint */
  check(body, complaint) {
    const { operation, form } = this;
    if (!operation) return;
    this.drafts.set(operation, this.json.value);
    const found = operation.schema && !complaint ? problems(operation.contract, operation.schema, body) : [];
    form?.mark([], true);
    form?.mark(found);
    const count = found.length + Number(Boolean(complaint) && Boolean(operation.schema));
    this.count.textContent = count ? `${count} ${count === 1 ? "value does" : "values do"} not match the document` : "";
    this.count.hidden = !count;
    this.onChange();
  }

  /** Marks the field that an error names. @param {any} error */
  blame(error) {
    // A list's name may end in brackets, which stand for no place in it.
    const parameter = (/** @type {string} */ path) => this.operation?.parameters.find(({ name }) => name.replace(/\[\]$/, "") === path);
    const fault = faultOf(error, read(this.json.value).value, (path) => Boolean(parameter(path) || this.form?.has(path)));
    if (!fault) return;
    const named = parameter(fault.path);
    if (named) this.parameters.blame(named.name, fault.message);
    else this.form?.mark([fault], true);
  }

  /** The messages of the request, where it has any. */
  get conversation() {
    return this.form?.conversation ?? null;
  }

  /** @returns {Request} */
  request() {
    if (!this.operation) throw new Error("no operation is open");
    return new Request(this.operation, this.parameters.values, this.json.value, credentials.key());
  }
}

/** @param {any} value @returns {string} */
function written(value) {
  return JSON.stringify(value, null, 2);
}

/** @param {string} text @returns {{value: any, complaint: string}} */
function read(text) {
  try {
    return { value: JSON.parse(text), complaint: "" };
  } catch (error) {
    return { value: undefined, complaint: `This is not JSON: ${/** @type {Error} */ (error).message}` };
  }
}
