/**
 * @module
 * Messages in Anthropic's shape: `content` blocks whole, or a stream of events that build them.
 */

/** @typedef {import("../shapes.js").Shape} Shape */
/** @typedef {import("../answer.js").Answer} Answer */

/** @type {Record<string, (delta: any, answer: Answer, index: number) => void>} */
const DELTAS = {
  text_delta: (delta, answer) => answer.choice(0).say(delta.text),
  thinking_delta: (delta, answer) => answer.choice(0).say(delta.thinking, "reasoning"),
  input_json_delta: (delta, answer, index) => answer.choice(0).call(index, { text: delta.partial_json }),
};

/** @type {Record<string, (event: any, answer: Answer) => void>} */
const EVENTS = {
  message_start: (event, answer) => answer.count(event.message.usage, null),
  content_block_start: (event, answer) => begin(event.content_block, event.index, answer),
  content_block_delta: (event, answer) => DELTAS[event.delta.type]?.(event.delta, answer, event.index),
  content_block_stop: () => {},
  message_delta: (event, answer) => {
    answer.choice(0).finish = event.delta.stop_reason ?? answer.choice(0).finish;
    answer.count(event.usage, event.usage?.output_tokens);
  },
  message_stop: () => {},
  ping: () => {},
};

/** @type {Shape} */
export const messageEvent = {
  name: "message event",
  fits: (value) => typeof value?.type === "string" && Object.hasOwn(EVENTS, value.type),
  read: (value, answer) => EVENTS[value.type](value, answer),
};

/** @type {Shape} */
export const message = {
  name: "message",
  fits: (value) => value?.type === "message" && Array.isArray(value.content),
  read: (value, answer) => {
    value.content.forEach((/** @type {any} */ block, /** @type {number} */ place) => {
      begin(block, place, answer);
      if (block.type === "tool_use") answer.choice(0).call(place, { text: block.input });
    });
    answer.choice(0).finish = value.stop_reason;
    answer.count(value.usage, value.usage?.output_tokens);
  },
};

/** A block as it stands at its start: a call's input comes later, in a stream as pieces of text. */
function begin(/** @type {any} */ block, /** @type {number} */ index, /** @type {Answer} */ answer) {
  const choice = answer.choice(0);
  if (block.type === "tool_use") choice.call(index, { name: block.name, id: block.id });
  else if (block.type === "thinking") choice.say(block.thinking, "reasoning");
  else choice.say(block.text);
}
