/**
 * @module
 * A JSON Schema as a form sees it: what kind of control a value needs, and what to say next to it.
 */

/** @typedef {import("./contract.js").Contract} Contract */
/** @typedef {import("./contract.js").Schema} Schema */

/**
 * @typedef {object} Kind
 * @property {"boolean" | "integer" | "number" | "text" | "choice" | "file" | "object" | "messages" | "json" | "refused"} control
 * @property {Schema} schema what describes the value, references followed and null taken away
 * @property {string[]} options of a choice
 * @property {boolean} takesLists whether a list of such values will do too
 * @property {string} bounds for people
 * @property {string} help
 * @property {any} initial what an absent value stands for; undefined if the document does not say
 * @property {boolean} deprecated
 */

/**
 * All that a schema admits besides null.
 *
 * @param {Contract} contract
 * @param {Schema} schema
 * @returns {Schema[]}
 */
export function branches(contract, schema) {
  const whole = contract.resolve(schema) ?? {};
  const several = whole.anyOf ?? whole.oneOf;
  if (several) return several.flatMap((/** @type {Schema} */ one) => branches(contract, one));
  const types = typesOf(whole).filter((type) => type !== "null");
  if (!types.length && (whole.type || whole.const === null)) return [];
  return [types.length === 1 ? { ...whole, type: types[0] } : whole];
}

/** @param {Schema} schema @returns {string[]} */
export function typesOf(schema) {
  return schema.type === undefined ? [] : [schema.type].flat();
}

/** @param {Contract} contract @param {Schema} schema @returns {Kind} */
export function kindOf(contract, schema) {
  const whole = contract.resolve(schema) ?? {};
  const all = branches(contract, whole);
  const single = all.filter((one) => one.type !== "array");
  const isOneOrList = single.length === 1 && all.length > 1 && single[0].type !== "object";
  const chosen = all.length === 1 ? all[0] : isOneOrList ? single[0] : {};
  const options = optionsOf(all);
  const control = all.length === 0 ? "refused" : options.length ? "choice" : controlOf(contract, chosen);
  return {
    control,
    schema: chosen,
    options,
    takesLists: isOneOrList,
    bounds: boundsOf(chosen),
    help: whole.description ?? chosen.description ?? "",
    initial: whole.default ?? chosen.default,
    deprecated: Boolean(whole.deprecated),
  };
}

/** @param {Schema[]} all @returns {string[]} the texts to choose from; none where other values will do too */
function optionsOf(all) {
  const values = all.flatMap((one) => (one.const === undefined ? (one.enum ?? [undefined]) : [one.const]));
  const texts = values.filter((value) => value !== null);
  return texts.every((value) => typeof value === "string") ? texts : [];
}

/** @param {Contract} contract @param {Schema} schema @returns {Kind["control"]} */
function controlOf(contract, schema) {
  if (schema.enum?.every((/** @type {any} */ value) => value === false)) return "refused";
  if (schema.format === "binary") return "file";
  if (schema.type === "array") return rolesOf(contract, schema).length ? "messages" : "json";
  if (schema.type === "object") return schema.properties ? "object" : "json";
  /** @type {Record<string, Kind["control"]>} */
  const scalars = { boolean: "boolean", integer: "integer", number: "number", string: "text" };
  return scalars[schema.type] ?? "json";
}

/**
 * The roles that the messages of a conversation may have; none where a list is no conversation.
 *
 * @param {Contract} contract
 * @param {Schema} schema of a list
 * @returns {string[]}
 */
export function rolesOf(contract, schema) {
  const kinds = branches(contract, schema.items ?? {});
  if (!kinds.every((one) => one.properties?.role)) return [];
  const roles = kinds.flatMap((one) => branches(contract, one.properties.role));
  const named = roles.flatMap((role) => role.enum ?? (role.const ? [role.const] : []));
  return named.length ? [...new Set(named)] : ["system", "user", "assistant"];
}

/** Bounds in the notation of people: `0 … 2`, `> 0`, `≤ 64 characters`. @param {Schema} schema @returns {string} */
export function boundsOf(schema) {
  const said = [
    interval(schema.minimum, schema.maximum, schema.exclusiveMinimum, schema.exclusiveMaximum, ""),
    interval(beyondOne(schema.minLength), schema.maxLength, undefined, undefined, " characters"),
    interval(beyondOne(schema.minItems), schema.maxItems, undefined, undefined, " items"),
  ];
  return said.filter(Boolean).join(", ");
}

/** That something must not be empty goes without saying. @param {number | undefined} least */
function beyondOne(least) {
  return least !== undefined && least > 1 ? least : undefined;
}

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 * @param {number | undefined} above
 * @param {number | undefined} below
 * @param {string} unit
 */
function interval(least, most, above, below, unit) {
  const isFar = (/** @type {number | undefined} */ bound) => bound === undefined || Math.abs(bound) >= 2 ** 31 - 1;
  if (!isFar(least) && !isFar(most)) return `${least} … ${most}${unit}`;
  const parts = [
    isFar(above) ? "" : `> ${above}${unit}`,
    isFar(least) ? "" : `≥ ${least}${unit}`,
    isFar(below) ? "" : `< ${below}${unit}`,
    isFar(most) ? "" : `≤ ${most}${unit}`,
  ];
  return parts.filter(Boolean).join(", ");
}
