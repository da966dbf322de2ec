/**
 * @module
 * Aleph Alpha's shapes: `completions[]` whole, `stream_chunk` and its summaries in a stream, evaluations.
 */

import { tabled } from "./logprobs.js";

/** @typedef {import("../shapes.js").Shape} Shape */
/** @typedef {import("../answer.js").Choice} Choice */

/** @type {Shape} */
export const continuation = {
  name: "continuation",
  fits: (value) => Array.isArray(value?.completions) || value?.type === "stream_chunk",
  read: (value, answer) => {
    (value.completions ?? [value]).forEach((/** @type {any} */ one, /** @type {number} */ place) => {
      const choice = answer.choice(one.index ?? place);
      choice.say(one.completion);
      tellTokens(choice, one);
      choice.finish = one.finish_reason ?? choice.finish;
    });
    count(value, answer);
  },
};

/** @type {Shape} */
export const summary = {
  name: "summary",
  fits: (value) => value?.type === "stream_summary" || value?.type === "completion_summary",
  read: (value, answer) => {
    if (value.finish_reason) answer.choice(value.index).finish = value.finish_reason;
    count(value, answer);
  },
};

/** @type {Shape} */
export const evaluation = {
  name: "evaluation",
  fits: (value) => value?.result?.log_probability !== undefined,
  read: (value, answer) => answer.tell({ ...value.result, num_tokens_prompt_total: value.num_tokens_prompt_total }),
};

/** @param {any} value @param {import("../answer.js").Answer} answer */
function count({ num_tokens_prompt_total, num_tokens_generated }, answer) {
  answer.count({ num_tokens_prompt_total, num_tokens_generated }, num_tokens_generated);
}

/** A table a place; the chosen token is told by name in `completion_tokens`, else it is the table's first. */
function tellTokens(/** @type {Choice} */ choice, /** @type {any} */ one) {
  (one.log_probs ?? []).forEach((/** @type {any} */ table, /** @type {number} */ place) => {
    const alternatives = tabled(table);
    const text = one.completion_tokens?.[place] ?? alternatives[0]?.text ?? "";
    choice.tell({ text, logprob: table?.[text] ?? alternatives[0]?.logprob ?? null, alternatives });
  });
}
