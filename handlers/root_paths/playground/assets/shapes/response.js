/**
 * @module
 * Responses in OpenAI's shape: an object with `output` items, or a stream of `response.*` events.
 */

import { listed } from "./logprobs.js";

/** @typedef {import("../shapes.js").Shape} Shape */
/** @typedef {import("../answer.js").Answer} Answer */

/** @type {Record<string, (event: any, answer: Answer) => void>} */
const EVENTS = {
  "response.output_text.delta": (event, answer) => {
    answer.choice(0).say(event.delta);
    listed(event.logprobs).forEach((token) => answer.choice(0).tell(token));
  },
  "response.refusal.delta": (event, answer) => answer.choice(0).say(event.delta, "refusal"),
  "response.reasoning_text.delta": (event, answer) => answer.choice(0).say(event.delta, "reasoning"),
  "response.reasoning_summary_text.delta": (event, answer) => answer.choice(0).say(event.delta, "reasoning"),
  "response.output_item.added": ({ item, output_index }, answer) => {
    if (item.type === "function_call") answer.choice(0).call(output_index, { name: item.name, id: item.call_id });
  },
  "response.function_call_arguments.delta": (event, answer) => answer.choice(0).call(event.output_index, { text: event.delta }),
  "response.completed": (event, answer) => end(event.response, answer),
  "response.incomplete": (event, answer) => end(event.response, answer),
  "response.failed": (event, answer) => end(event.response, answer),
};

/** @type {Shape} */
export const responseEvent = {
  name: "response event",
  fits: (value) => typeof value?.type === "string" && value.type.startsWith("response."),
  read: (value, answer) => EVENTS[value.type]?.(value, answer),
};

/** @type {Shape} */
export const response = {
  name: "response",
  fits: (value) => value?.object === "response",
  read: (value, answer) => {
    value.output.forEach((/** @type {any} */ item, /** @type {number} */ place) => tell(item, place, answer));
    end(value, answer);
  },
};

/** @param {any} item @param {number} place @param {Answer} answer */
function tell(item, place, answer) {
  const choice = answer.choice(0);
  if (item.type === "function_call") choice.call(place, { name: item.name, id: item.call_id, text: item.arguments });
  for (const part of [...(item.summary ?? []), ...(item.content ?? [])]) {
    const kind = item.type === "reasoning" ? "reasoning" : part.type === "refusal" ? "refusal" : "text";
    choice.say(part.text ?? part.refusal, kind);
    listed(part.logprobs).forEach((token) => choice.tell(token));
  }
}

/** @param {any} whole @param {Answer} answer */
function end(whole, answer) {
  answer.choice(0).finish = whole.incomplete_details?.reason ?? whole.status;
  answer.count(whole.usage, whole.usage?.output_tokens);
  if (whole.error) answer.error = { error: whole.error };
}
