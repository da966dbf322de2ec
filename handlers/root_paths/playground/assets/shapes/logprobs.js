/**
 * @module
 * Log-probabilities in the forms that several shapes have in common.
 */

/** @typedef {import("../answer.js").Token} Token */
/** @typedef {import("../answer.js").Alternative} Alternative */

/**
 * OpenAI's form: `[{token, logprob, top_logprobs: [{token, logprob}]}]`.
 *
 * @param {any[] | null | undefined} told
 * @returns {Token[]}
 */
export function listed(told) {
  return (told ?? []).map((one) => ({
    text: one.token,
    logprob: one.logprob,
    alternatives: (one.top_logprobs ?? []).map(alternative),
  }));
}

/**
 * A table for each place: `[{" world": -0.1, " all": -2.3}]`, the chosen token first.
 *
 * @param {Record<string, number | null>} table
 * @returns {Alternative[]}
 */
export function tabled(table) {
  return Object.entries(table ?? {}).map(([text, logprob]) => ({ text, logprob }));
}

/** @param {any} one @returns {Alternative} */
function alternative(one) {
  return { text: one.token, logprob: one.logprob };
}
