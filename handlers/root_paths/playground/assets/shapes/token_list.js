/**
 * @module
 * A text cut into tokens.
 */

/** @typedef {import("../shapes.js").Shape} Shape */

/** `[{id, text}]`. @type {Shape} */
export const tokenList = {
  name: "token list",
  fits: (value) => Array.isArray(value) && value[0]?.id !== undefined && value[0]?.text !== undefined,
  read: (value, answer) => {
    for (const { id, text } of value) answer.choice(0).tell({ id, text, logprob: null, alternatives: [] });
    answer.tell({ tokens: value.length });
  },
};

/** `{tokens: [...], token_ids: [...]}`. @type {Shape} */
export const tokenTexts = {
  name: "token texts",
  fits: (value) => Array.isArray(value?.tokens) && value.tokens.every((/** @type {any} */ one) => typeof one === "string"),
  read: (value, answer) => {
    value.tokens.forEach((/** @type {string} */ text, /** @type {number} */ place) => {
      answer.choice(0).tell({ id: value.token_ids?.[place], text, logprob: null, alternatives: [] });
    });
    answer.tell({ tokens: value.tokens.length });
  },
};
