/**
 * @module
 * Places in a request: `parameters.stop[0]` as text, `["parameters", "stop", 0]` as steps.
 */

/** @typedef {(string | number)[]} Steps */

/** @param {string} text @returns {Steps} */
export function parse(text) {
  const steps = [];
  for (const [, name, place] of text.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    steps.push(place === undefined ? name : Number(place));
  }
  return steps;
}

/** @param {Steps} steps @returns {string} */
export function format(steps) {
  return steps.reduce((/** @type {string} */ text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text ? `${text}.${step}` : step;
  }, "");
}

/** What stands there, undefined if nothing does. @param {any} value @param {Steps} steps @returns {any} */
export function get(value, steps) {
  for (const step of steps) {
    if (value === null || typeof value !== "object") return undefined;
    value = value[step];
  }
  return value;
}

/**
 * Puts a value there and makes the objects on the way; undefined takes away what stands there, and an object
 * that is empty then and was not asked for.
 *
 * @param {any} root
 * @param {Steps} steps
 * @param {any} value
 */
export function set(root, steps, value) {
  const [step, ...rest] = steps;
  if (rest.length) {
    if (value === undefined && get(root, [step]) === undefined) return;
    if (root[step] === null || typeof root[step] !== "object") root[step] = typeof rest[0] === "number" ? [] : {};
    set(root[step], rest, value);
    if (value === undefined && !Array.isArray(root[step]) && !Object.keys(root[step]).length) delete root[step];
  } else if (value === undefined && Array.isArray(root)) root.splice(Number(step), 1);
  else if (value === undefined) delete root[step];
  else root[step] = value;
}

/** The place around a place. @param {string} path @returns {string} */
export function parent(path) {
  return format(parse(path).slice(0, -1));
}
