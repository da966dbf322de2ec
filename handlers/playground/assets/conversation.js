/**
 * @module
 * The editor of a conversation: a message a row, with its role, its text, and what else it holds as JSON.
 */

import { element } from "./dom.js";

/** @typedef {(messages: any[]) => void} OnChange */

export class Conversation {
  /**
   * @param {string} id
   * @param {string} path where the messages stand in the request
   * @param {string[]} roles
   * @param {any} messages
   * @param {OnChange} onChange
   */
  constructor(id, path, roles, messages, onChange) {
    this.id = id;
    this.path = path;
    this.roles = roles;
    /** @type {any[]} */
    this.messages = Array.isArray(messages) ? messages : [];
    this.onChange = onChange;
    this.element = element("div", { id, class: "conversation" });
    this.render();
  }

  render() {
    const add = element("button", { type: "button", class: "quiet", onclick: () => this.add() }, "+ message");
    this.element.replaceChildren(...this.messages.map((message, place) => this.row(message, place)), add);
  }

  /** @param {any} message @param {number} place @returns {HTMLElement} */
  row(message, place) {
    const { role, content, ...rest } = message ?? {};
    const named = (/** @type {string} */ what) => `${what} of message ${place + 1}`;
    const select = element(
      "select",
      { class: "role", "aria-label": named("role"), onchange: (/** @type {any} */ event) => this.set(place, "role", event.target.value) },
      ...[...new Set([...this.roles, role])].filter(Boolean).map((one) => element("option", { value: one, selected: one === role }, one)),
    );
    const remove = element("button", { type: "button", class: "quiet", "aria-label": `remove message ${place + 1}`, onclick: () => this.remove(place) }, "×");
    const others = Object.keys(rest).length ? this.others(place, rest) : null;
    return element(
      "div",
      { class: "message", "data-path": `${this.path}[${place}]`, "data-role": role },
      element("div", { class: "message-head" }, select, remove),
      this.content(place, content, named("content")),
      others,
      element("p", { class: "problem", hidden: true }),
    );
  }

  /** Text as text, in one part too; whatever else as JSON. @param {number} place @param {any} content @param {string} label */
  content(place, content, label) {
    const isPart = Array.isArray(content) && content.length === 1 && typeof content[0]?.text === "string";
    const text = isPart ? content[0].text : content;
    const isText = typeof text === "string";
    const value = (/** @type {string} */ written) => (isPart ? [{ ...content[0], text: written }] : isText ? written : read(written));
    return element("textarea", {
      rows: 1,
      "aria-label": label,
      class: isText ? "" : "code",
      placeholder: content === null ? "null" : "",
      value: isText ? text : content === null || content === undefined ? "" : JSON.stringify(content, null, 2),
      oninput: (/** @type {any} */ event) => this.set(place, "content", value(event.target.value)),
    });
  }

  /** @param {number} place @param {any} rest */
  others(place, rest) {
    return element("textarea", {
      rows: 1,
      class: "code",
      "aria-label": `other fields of message ${place + 1}`,
      value: JSON.stringify(rest, null, 2),
      oninput: (/** @type {any} */ event) => {
        const value = read(event.target.value);
        if (value === null || typeof value !== "object") return;
        const { role, content } = this.messages[place];
        this.messages[place] = { role, content, ...value };
        this.onChange(this.messages);
      },
    });
  }

  /** @param {number} place @param {string} name @param {any} value */
  set(place, name, value) {
    this.messages[place] = { ...this.messages[place], [name]: value };
    this.onChange(this.messages);
  }

  add() {
    const last = this.messages.at(-1)?.role;
    const role = last === "user" && this.roles.includes("assistant") ? "assistant" : "user";
    this.messages.push({ role, content: "" });
    this.changed();
  }

  /** Takes an answer up, and makes room for what to say to it. @param {string} text */
  goOn(text) {
    this.messages.push({ role: "assistant", content: text }, { role: "user", content: "" });
    this.changed();
    /** @type {HTMLElement | null} */ (this.element.querySelector(".message:nth-last-child(2) textarea"))?.focus();
  }

  /** @param {number} place */
  remove(place) {
    this.messages.splice(place, 1);
    this.changed();
  }

  changed() {
    this.render();
    this.onChange(this.messages);
  }
}

/** @param {string} text @returns {any} */
function read(text) {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
