/**
 * @module
 * Files for requests that are sent as forms. A body in JSON has their names, by which they are found here.
 */

/** @type {Map<string, File>} */
const chosen = new Map();

/** @param {File} file @returns {string} what stands for it in a body */
export function keep(file) {
  chosen.set(file.name, file);
  return file.name;
}

/**
 * The parts of a form; an array's items come one by one, and a file is left out that nobody has chosen.
 *
 * @param {Record<string, any>} body
 * @param {(name: string) => boolean} isFile
 * @returns {[string, string | File][]}
 */
export function parts(body, isFile) {
  return Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((item) => {
      const part = isFile(name) ? chosen.get(item) : typeof item === "string" ? item : JSON.stringify(item);
      return part === undefined ? [] : [/** @type {[string, string | File]} */ ([name, part])];
    }),
  );
}
