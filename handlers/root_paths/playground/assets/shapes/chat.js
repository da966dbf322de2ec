/**
 * @module
 * Chat in OpenAI's shape: `choices[].delta` in a stream, `choices[].message` whole.
 */

import { listed } from "./logprobs.js";

/** @typedef {import("../shapes.js").Shape} Shape */
/** @typedef {import("../answer.js").Choice} Choice */

/** @type {Shape} */
export const chatChunk = {
  name: "chat chunk",
  fits: (value) => value?.object === "chat.completion.chunk" || value?.choices?.[0]?.delta !== undefined,
  read: (value, answer) => {
    for (const one of value.choices) {
      const choice = answer.choice(one.index);
      say(choice, one.delta ?? {});
      finish(choice, one);
    }
    // Where chunks repeat the text so far, the last one has it whole.
    if (typeof value.full_text === "string") answer.choice(value.choices[0]?.index).sayInstead(value.full_text);
    answer.count(value.usage, value.usage?.completion_tokens);
  },
};

/** @type {Shape} */
export const chatCompletion = {
  name: "chat completion",
  fits: (value) => value?.choices?.[0]?.message !== undefined,
  read: (value, answer) => {
    for (const one of value.choices) {
      const choice = answer.choice(one.index);
      say(choice, one.message);
      finish(choice, one);
    }
    answer.count(value.usage, value.usage?.completion_tokens);
  },
};

/** @param {Choice} choice @param {any} told a delta or a message */
function say(choice, told) {
  choice.say(told.reasoning_content ?? told.reasoning, "reasoning");
  choice.say(told.content);
  choice.say(told.refusal, "refusal");
  const calls = told.tool_calls ?? [];
  calls.forEach((/** @type {any} */ call, /** @type {number} */ place) => {
    const { name, arguments: text } = call.function ?? {};
    choice.call(call.index ?? place, { name, id: call.id, text });
  });
}

/** @param {Choice} choice @param {any} one */
function finish(choice, one) {
  listed(one.logprobs?.content).forEach((token) => choice.tell(token));
  choice.finish = one.finish_reason ?? choice.finish;
}
