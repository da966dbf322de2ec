/**
 * @module
 * Completions in OpenAI's shape, `choices[].text`, in a stream and whole.
 */

import { listed, tabled } from "./logprobs.js";

/** @typedef {import("../shapes.js").Shape} Shape */
/** @typedef {import("../answer.js").Token} Token */

/** @type {Shape} */
export const completion = {
  name: "completion",
  fits: (value) => value?.object === "text_completion" || value?.choices?.[0]?.text !== undefined,
  read: (value, answer) => {
    for (const one of value.choices) {
      const choice = answer.choice(one.index);
      choice.say(one.text);
      tokens(one.logprobs).forEach((token) => choice.tell(token));
      choice.finish = one.finish_reason ?? choice.finish;
    }
    answer.count(value.usage, value.usage?.completion_tokens);
  },
};

/** @param {any} told parallel lists, or one list as chat has it @returns {Token[]} */
function tokens(told) {
  if (told?.content) return listed(told.content);
  return (told?.tokens ?? []).map((/** @type {string} */ text, /** @type {number} */ place) => ({
    text,
    logprob: told.token_logprobs?.[place] ?? null,
    alternatives: tabled(told.top_logprobs?.[place]),
  }));
}
