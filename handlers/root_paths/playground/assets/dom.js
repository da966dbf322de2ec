/**
 * @module
 * Elements of the page, made in one call. Text is always text here, never markup.
 */

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties] attributes; `onclick` and its like are listeners; what is null,
 *     undefined or false is left out
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  apply(made, properties);
  made.append(...present(children));
  return made;
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(made, attributes);
  made.append(...present(children));
  return made;
}

/**
 * Text of a document, in which what stands between backticks is code.
 *
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function prose(text) {
  return text.split("`").map((part, place) => (place % 2 ? element("code", {}, part) : part));
}

/**
 * The element of the page that the script cannot do without.
 *
 * @param {string} selector
 * @returns {any}
 */
export function find(selector) {
  const found = document.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/** What calls at most once a frame, however often it is called. @param {() => void} paint @returns {() => void} */
export function onceAFrame(paint) {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      paint();
    });
  };
}

/**
 * @param {Element} target
 * @param {Record<string, any>} properties
 */
function apply(target, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) target.addEventListener(name.slice(2), value);
    else if (name === "value") /** @type {any} */ (target).value = value;
    else target.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Child[]} children @returns {(Node | string)[]} */
function present(children) {
  return /** @type {any} */ (children.filter((child) => child !== null && child !== undefined && child !== false));
}
