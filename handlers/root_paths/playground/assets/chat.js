/**
 * @module
 * A conversation with the model: what was said, the answer as it streams, and the field for what to say next.
 */

import { AnswerView } from "./answer_view.js";
import * as credentials from "./credentials.js";
import { element, find, onceAFrame } from "./dom.js";
import { Exchange } from "./exchange.js";
import { Request } from "./request.js";

const NEAR_PX = 60; // a reader this close to the end follows the answer

export class Chat {
  /** @param {string} model @param {import("./contract.js").Operation} operation that answers OpenAI's conversations */
  constructor(model, operation) {
    this.model = model;
    this.operation = operation;
    this.log = find("#log");
    this.say = find("#say");
    /** What was answered, with the questions. @type {{role: string, content: string}[]} */
    this.messages = [];
    /** @type {Exchange | null} the one that is answered now */
    this.exchange = null;
    find("#send").disabled = false;
    find("#chat").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.ask();
    });
    find("#chat").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    find("#stop").addEventListener("click", () => this.exchange?.stop());
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape") this.exchange?.stop();
    if (event.target !== this.say || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.ask();
  }

  async ask() {
    const text = this.say.value.trim();
    if (!text || this.exchange) return;
    const asked = { role: "user", content: text };
    const body = { model: this.model, messages: [...this.messages, asked], stream: true, stream_options: { include_usage: true } };
    const exchange = new Exchange(new Request(this.operation, {}, JSON.stringify(body), credentials.key()));
    const view = new AnswerView();
    this.say.value = "";
    this.log.append(element("p", { class: "said" }, text), view.element);
    this.setExchange(exchange);
    this.log.scrollTop = this.log.scrollHeight;
    const paint = () => {
      const { scrollHeight, scrollTop, clientHeight } = this.log;
      view.show(exchange);
      if (scrollHeight - scrollTop - clientHeight < NEAR_PX) this.log.scrollTop = this.log.scrollHeight;
    };
    paint();
    await exchange.run(onceAFrame(paint));
    paint();
    this.take(asked, exchange);
  }

  /** @param {{role: string, content: string}} asked @param {Exchange} exchange that has ended */
  take(asked, exchange) {
    this.setExchange(null);
    const answer = exchange.answer.choices[0]?.text;
    if (answer) this.messages.push(asked, { role: "assistant", content: answer });
    else this.say.value ||= asked.content; // to be tried again: it is no part of the conversation
    if (exchange.status === 401) find("#key").focus();
    else if (document.activeElement === document.body) this.say.focus();
  }

  /** @param {Exchange | null} exchange */
  setExchange(exchange) {
    this.exchange = exchange;
    find("#send").hidden = exchange !== null;
    find("#stop").hidden = exchange === null;
    this.log.setAttribute("aria-busy", String(exchange !== null));
  }
}
