/**
 * @module
 * Vectors: `data[].embedding`, as numbers or as their bytes in base64.
 */

/** @typedef {import("../shapes.js").Shape} Shape */

/** @type {Shape} */
export const embeddings = {
  name: "embeddings",
  fits: (value) => value?.data?.[0]?.embedding !== undefined,
  read: (value, answer) => {
    answer.vectors = value.data.map((/** @type {any} */ one) => ({ index: one.index, values: numbers(one.embedding) }));
    answer.count(value.usage, null);
  },
};

/** @param {number[] | string} told @returns {number[]} */
function numbers(told) {
  if (typeof told !== "string") return told;
  const bytes = Uint8Array.from(atob(told), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 4 }, (_, place) => view.getFloat32(4 * place, true));
}
