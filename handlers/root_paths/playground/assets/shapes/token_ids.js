/**
 * @module
 * The token API's answers: only ids, with their log-probabilities if there are any.
 */

/** @typedef {import("../shapes.js").Shape} Shape */

/** `{choices: [{index, token_ids}]}`, whole and in events. @type {Shape} */
export const tokenIds = {
  name: "token ids",
  fits: (value) => Array.isArray(value?.choices) && value.choices.every((/** @type {any} */ one) => Array.isArray(one.token_ids)),
  read: (value, answer) => {
    for (const one of value.choices) {
      const choice = answer.choice(one.index);
      if (one.finish_reason) choice.finish = one.finish_reason;
      one.token_ids.forEach((/** @type {number} */ id, /** @type {number} */ place) => {
        const scored = one.logprobs?.content?.[place];
        const alternatives = (scored?.top_logprobs ?? []).map((/** @type {any} */ top) => ({ id: top.token_id, text: String(top.token_id), logprob: top.logprob }));
        choice.tell({ id, text: String(id), logprob: scored?.logprob ?? null, alternatives });
      });
    }
    answer.count(value.usage, value.usage?.completion_tokens);
  },
};
