/**
 * @module
 * Checks a value against the document's schema before it is sent, with what the bound is.
 *
 * Holds the keywords that the documents use. The server has the last word: its own answer is shown too.
 */

import { format } from "./path.js";
import { typesOf } from "./schema.js";

/** @typedef {import("./contract.js").Contract} Contract */
/** @typedef {import("./contract.js").Schema} Schema */
/** @typedef {import("./path.js").Steps} Steps */
/** @typedef {{path: string, message: string}} Problem */
/** @typedef {[string, (value: any, bound: any) => boolean, (bound: any) => string]} Rule */

/** @type {Rule[]} */
const NUMBER_RULES = [
  ["minimum", (value, bound) => value >= bound, (bound) => `must be at least ${bound}`],
  ["maximum", (value, bound) => value <= bound, (bound) => `must be at most ${bound}`],
  ["exclusiveMinimum", (value, bound) => value > bound, (bound) => `must be greater than ${bound}`],
  ["exclusiveMaximum", (value, bound) => value < bound, (bound) => `must be less than ${bound}`],
];

/** @type {Rule[]} */
const TEXT_RULES = [
  ["minLength", (text, bound) => [...text].length >= bound, (bound) => `must have ${bound} characters or more`],
  ["maxLength", (text, bound) => [...text].length <= bound, (bound) => `must have at most ${bound} characters`],
  ["pattern", (text, bound) => new RegExp(bound, "u").test(text), (bound) => `must match ${bound}`],
];

/** @type {Rule[]} */
const LIST_RULES = [
  ["minItems", (list, bound) => list.length >= bound, (bound) => `must have ${bound} items or more`],
  ["maxItems", (list, bound) => list.length <= bound, (bound) => (bound ? `must have at most ${bound} items` : "must be empty")],
];

/** @type {Rule[]} */
const OBJECT_RULES = [
  ["minProperties", (object, bound) => Object.keys(object).length >= bound, (bound) => `must have ${bound} members or more`],
  ["maxProperties", (object, bound) => Object.keys(object).length <= bound, (bound) => `must have at most ${bound} members`],
];

const NAMES = { null: "null", boolean: "true or false", integer: "an integer", number: "a number", string: "a text", array: "a list", object: "an object" };

/**
 * @param {Contract} contract
 * @param {Schema} schema
 * @param {any} value
 * @param {Steps} [steps] where the value stands
 * @returns {Problem[]} none if the value is right
 */
export function problems(contract, schema, value, steps = []) {
  const whole = contract.resolve(schema) ?? {};
  const at = (/** @type {string} */ message) => [{ path: format(steps), message }];
  const several = whole.anyOf ?? whole.oneOf;
  const own = [
    ...(several ? ofBranches(contract, whole, several, value, steps) : []),
    ...(whole.allOf ?? []).flatMap((/** @type {Schema} */ one) => problems(contract, one, value, steps)),
  ];
  const types = typesOf(whole);
  if (types.length && !types.some((type) => hasType(value, type))) return at(`must be ${wanted(types)}`);
  if (whole.const !== undefined && !isSame(value, whole.const)) return at(`must be ${JSON.stringify(whole.const)}`);
  if (whole.enum && !whole.enum.some((/** @type {any} */ one) => isSame(value, one))) {
    return at(`must be one of ${whole.enum.map((/** @type {any} */ one) => JSON.stringify(one)).join(", ")}`);
  }
  if (typeof value === "number") own.push(...broken(NUMBER_RULES, whole, value).flatMap(at));
  else if (typeof value === "string") own.push(...broken(TEXT_RULES, whole, value).flatMap(at));
  else if (Array.isArray(value)) own.push(...broken(LIST_RULES, whole, value).flatMap(at), ...ofItems(contract, whole, value, steps));
  else if (value !== null && typeof value === "object") {
    own.push(...broken(OBJECT_RULES, whole, value).flatMap(at), ...ofMembers(contract, whole, value, steps));
  }
  return own;
}

/** @param {Rule[]} rules @param {Schema} schema @param {any} value @returns {string[]} */
function broken(rules, schema, value) {
  return rules
    .filter(([keyword, holds]) => schema[keyword] !== undefined && !holds(value, schema[keyword]))
    .map(([keyword, , say]) => say(schema[keyword]));
}

/** @param {Contract} contract @param {Schema} schema @param {any[]} list @param {Steps} steps @returns {Problem[]} */
function ofItems(contract, schema, list, steps) {
  if (!schema.items) return [];
  return list.flatMap((item, place) => problems(contract, schema.items, item, [...steps, place]));
}

/** @param {Contract} contract @param {Schema} schema @param {any} object @param {Steps} steps @returns {Problem[]} */
function ofMembers(contract, schema, object, steps) {
  const known = schema.properties ?? {};
  const missing = (schema.required ?? []).filter((/** @type {string} */ name) => !Object.hasOwn(object, name));
  const said = missing.map((/** @type {string} */ name) => ({ path: format([...steps, name]), message: "is required" }));
  for (const [name, value] of Object.entries(object)) {
    const place = [...steps, name];
    const rest = schema.additionalProperties;
    if (Object.hasOwn(known, name)) said.push(...problems(contract, known[name], value, place));
    else if (rest === false || (rest?.type === "null" && value !== null)) said.push({ path: format(place), message: "is not a field of this object" });
    else if (rest && rest !== true) said.push(...problems(contract, rest, value, place));
    if (schema.propertyNames && problems(contract, schema.propertyNames, name).length) {
      said.push({ path: format(place), message: `has a name that must match ${contract.resolve(schema.propertyNames).pattern}` });
    }
  }
  return said;
}

/**
 * What is wrong with a value that fits no branch, told for the branch that it was meant for: the discriminator's,
 * else the one that it comes closest to.
 *
 * @param {Contract} contract
 * @param {Schema} whole
 * @param {Schema[]} several
 * @param {any} value
 * @param {Steps} steps
 * @returns {Problem[]}
 */
function ofBranches(contract, whole, several, value, steps) {
  const { propertyName, mapping } = whole.discriminator ?? {};
  const meant = propertyName && value && mapping?.[value[propertyName]];
  if (meant) return problems(contract, { $ref: meant }, value, steps);
  const tried = several.map((one) => problems(contract, one, value, steps));
  const fits = tried.filter((found) => !found.length).length;
  if (fits && (fits === 1 || whole.anyOf)) return [];
  if (fits) return [{ path: format(steps), message: "fits more than one of the forms that exclude each other" }];
  const ofItsType = tried.filter((_, place) => hasTypeOf(contract, several[place], value));
  if (!ofItsType.length) return [{ path: format(steps), message: `must be ${wanted(several.flatMap((one) => leafTypes(contract, one)))}` }];
  return ofItsType.reduce((best, found) => (found.length < best.length ? found : best));
}

/** @param {Contract} contract @param {Schema} schema @returns {string[]} */
function leafTypes(contract, schema) {
  const whole = contract.resolve(schema);
  const several = whole.anyOf ?? whole.oneOf;
  return several ? several.flatMap((/** @type {Schema} */ one) => leafTypes(contract, one)) : typesOf(whole);
}

/** @param {Contract} contract @param {Schema} schema @param {any} value @returns {boolean} */
function hasTypeOf(contract, schema, value) {
  const types = leafTypes(contract, schema);
  return !types.length || types.some((type) => hasType(value, type));
}

/** @param {any} value @param {string} type @returns {boolean} */
function hasType(value, type) {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "object") return value !== null && typeof value === "object" && !Array.isArray(value);
  return typeof value === type;
}

/** @param {string[]} types @returns {string} */
function wanted(types) {
  const names = [...new Set(types)].map((type) => NAMES[/** @type {keyof typeof NAMES} */ (type)] ?? type);
  return names.join(" or ");
}

/** @param {any} one @param {any} other @returns {boolean} */
function isSame(one, other) {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
