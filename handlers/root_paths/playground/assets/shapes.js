/**
 * @module
 * The table of shapes in which servers answer. Shapes, not contracts: whoever sends one is understood.
 */

import { chatChunk, chatCompletion } from "./shapes/chat.js";
import { completion } from "./shapes/completion.js";
import { continuation, evaluation, summary } from "./shapes/continuation.js";
import { embeddings } from "./shapes/embeddings.js";
import { message, messageEvent } from "./shapes/message.js";
import { generated, tokenEvent } from "./shapes/generate.js";
import { response, responseEvent } from "./shapes/response.js";
import { textOutput } from "./shapes/text_output.js";
import { tokenIds } from "./shapes/token_ids.js";
import { tokenList, tokenTexts } from "./shapes/token_list.js";

/** @typedef {import("./answer.js").Answer} Answer */

/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {(value: any) => boolean} fits
 * @property {(value: any, answer: Answer) => void} read adds what the value tells
 */

/** @type {Shape} */
const error = {
  name: "error",
  fits: (value) => Boolean(value?.error) || value?.type === "error",
  read: (value, answer) => {
    answer.error = value;
  },
};

/** The first that fits reads. @type {Shape[]} */
export const SHAPES = [
  responseEvent,
  response,
  messageEvent,
  message,
  error,
  chatChunk,
  chatCompletion,
  completion,
  tokenIds,
  tokenEvent,
  generated,
  textOutput,
  continuation,
  summary,
  evaluation,
  embeddings,
  tokenList,
  tokenTexts,
];

/**
 * Adds to an answer what one event, or the whole of an answer, tells.
 *
 * @param {any} value
 * @param {Answer} answer
 * @returns {string} the name of the shape; "value" if there is none for it
 */
export function read(value, answer) {
  const shape = SHAPES.find((one) => one.fits(value));
  if (shape) shape.read(value, answer);
  else answer.value = value;
  return shape?.name ?? "value";
}
