/**
 * @module
 * Triton's `text_output`, one text or several, with what its back ends tell in addition.
 */

/** @typedef {import("../shapes.js").Shape} Shape */
/** @typedef {import("../answer.js").Token} Token */

const COUNTS = ["num_input_tokens", "num_output_tokens", "cumulative_logprob", "cum_log_probs"];

/** @type {Shape} */
export const textOutput = {
  name: "text_output",
  fits: (value) => value?.text_output !== undefined,
  read: (value, answer) => {
    const texts = [value.text_output].flat();
    const finishes = [value.finish_reason].flat();
    texts.forEach((text, index) => {
      const choice = answer.choice(index);
      choice.say(text);
      const finish = finishes[index];
      if (finish && finish !== "None") choice.finish = finish;
    });
    tokens(value.logprobs).forEach((one) => answer.choice(0).tell(one));
    for (const name of COUNTS) if (value[name] !== undefined) answer.tell({ [name]: value[name] });
    if (value.num_output_tokens !== undefined) {
      // An event counts the tokens that came with it.
      answer.numGenerated = (answer.numGenerated ?? 0) + Number([value.num_output_tokens].flat()[0]);
      answer.tell({ num_output_tokens: answer.numGenerated });
    }
  },
};

/**
 * vLLM's table as text: `[{"<id>": {logprob, rank, decoded_token}}]`, the chosen token first.
 *
 * @param {any} told
 * @returns {Token[]}
 */
function tokens(told) {
  const [text] = [told].flat();
  const places = typeof text === "string" ? (JSON.parse(text) ?? []) : [];
  return places.map((/** @type {Record<string, any>} */ table) => {
    const ranked = Object.entries(table).map(([id, one]) => ({ id: Number(id), text: one.decoded_token, logprob: one.logprob }));
    return { ...ranked[0], alternatives: ranked };
  });
}
