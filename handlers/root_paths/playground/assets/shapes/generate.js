/**
 * @module
 * Text Generation Inference's own shapes: an event a token, and `generated_text` with its details.
 */

/** @typedef {import("../shapes.js").Shape} Shape */
/** @typedef {import("../answer.js").Token} Token */
/** @typedef {import("../answer.js").Choice} Choice */

/** @type {Shape} */
export const tokenEvent = {
  name: "token event",
  fits: (value) => typeof value?.token === "object" && value.token !== null,
  read: (value, answer) => {
    const choice = answer.choice(0);
    if (!value.token.special) choice.say(value.token.text);
    choice.tell(token(value.token, value.top_tokens));
    if (typeof value.generated_text === "string") settle(choice, value.generated_text);
    finish(choice, value.details);
  },
};

/** @type {Shape} */
export const generated = {
  name: "generated text",
  fits: (value) => [value].flat()[0]?.generated_text !== undefined,
  read: (value, answer) => {
    const [whole] = [value].flat();
    const { best_of_sequences: others = [], ...details } = whole.details ?? {};
    tell(answer.choice(0), { generated_text: whole.generated_text, ...details });
    (others ?? []).forEach((/** @type {any} */ one, /** @type {number} */ place) => tell(answer.choice(place + 1), one));
  },
};

/** What streamed may lack the prompt, or hold the text of special tokens. @param {Choice} choice @param {string} whole */
function settle(choice, whole) {
  if (choice.text !== whole) choice.sayInstead(whole);
}

/** @param {Choice} choice @param {any} told a text with its details */
function tell(choice, { generated_text, ...details }) {
  choice.say(generated_text);
  const tops = details.top_tokens ?? [];
  (details.tokens ?? []).forEach((/** @type {any} */ one, /** @type {number} */ place) => choice.tell(token(one, tops[place])));
  finish(choice, details);
}

/** @param {Choice} choice @param {any} details */
function finish(choice, details) {
  if (!details) return;
  const { finish_reason, generated_tokens, input_length, prefill, seed } = details;
  choice.finish = finish_reason ?? choice.finish;
  const numPrompt = input_length ?? (prefill?.length || null);
  choice.answer.count({ generated_tokens, prompt_tokens: numPrompt, seed }, generated_tokens);
}

/** @param {any} one @param {any[] | null | undefined} tops @returns {Token} */
function token(one, tops) {
  const alternatives = (tops ?? []).map(({ text, logprob }) => ({ text, logprob }));
  return { text: one.text, id: one.id, logprob: one.logprob, isSpecial: one.special, alternatives };
}
