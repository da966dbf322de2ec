/**
 * @module
 * The editor of a conversation: a message a row, with its role, its text and images, and what else it holds as JSON.
 */

import { element } from "./dom.js";
import { dataUrls } from "./images.js";

/** @typedef {(messages: any[]) => void} OnChange */

export class Conversation {
  /**
   * @param {string} id
   * @param {string} path where the messages stand in the request
   * @param {string[]} roles
   * @param {any} messages
   * @param {OnChange} onChange
   * @param {import("./images.js").Form | null} images the form in which the messages take images
   */
  constructor(id, path, roles, messages, onChange, images = null) {
    this.id = id;
    this.path = path;
    this.roles = roles;
    /** @type {any[]} */
    this.messages = Array.isArray(messages) ? messages : [];
    this.onChange = onChange;
    this.images = images;
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
    const takes = this.takesImages(place);
    return element(
      "div",
      { class: "message", "data-path": `${this.path}[${place}]`, "data-role": role, ...(takes ? this.drops(place) : {}) },
      element("div", { class: "message-head" }, select, element("span", {}, takes && this.chooser(place), remove)),
      this.content(place, content, named("content")),
      this.shown(place),
      others,
      element("p", { class: "problem", hidden: true }),
    );
  }

  /** Text as text, in one part too; whatever else as JSON. @param {number} place @param {any} content @param {string} label */
  content(place, content, label) {
    const text = this.text(content);
    const isText = text !== null;
    const value = (/** @type {string} */ written) => (isText ? this.withText(this.messages[place].content, written) : read(written));
    return element("textarea", {
      rows: 1,
      "aria-label": label,
      class: isText ? "" : "code",
      placeholder: content === null ? "null" : "",
      value: isText ? text : content === null || content === undefined ? "" : JSON.stringify(content, null, 2),
      oninput: (/** @type {any} */ event) => this.set(place, "content", value(event.target.value)),
    });
  }

  /** The text of a content of images and at most one text; null for any other. @param {any} content @returns {string | null} */
  text(content) {
    if (typeof content === "string") return content;
    if (!Array.isArray(content) || !content.length) return null;
    const texts = content.filter((part) => !this.images?.url(part));
    if (texts.length > 1) return null;
    return texts.length ? (typeof texts[0]?.text === "string" ? texts[0].text : null) : "";
  }

  /** @param {any} content @param {string} text @returns {any} the content with another text */
  withText(content, text) {
    if (!Array.isArray(content)) return text;
    const place = content.findIndex((part) => typeof part?.text === "string");
    if (place < 0) return text ? [...content, { type: "text", text }] : content;
    if (!text && content.length > 1) return content.filter((_, at) => at !== place);
    return content.map((part, at) => (at === place ? { ...part, text } : part));
  }

  /** @param {number} place */
  takesImages(place) {
    const { role, content } = this.messages[place] ?? {};
    return this.images !== null && role === "user" && (content === null || content === undefined || this.text(content) !== null);
  }

  /** What makes images of files that are dropped on a row or pasted into it. @param {number} place */
  drops(place) {
    return {
      ondragover: (/** @type {DragEvent} */ event) => event.preventDefault(),
      ondrop: (/** @type {DragEvent} */ event) => this.take(place, event, event.dataTransfer),
      onpaste: (/** @type {ClipboardEvent} */ event) => this.take(place, event, event.clipboardData),
    };
  }

  /** @param {number} place @param {Event} event @param {DataTransfer | null} data */
  take(place, event, data) {
    if (!data?.files.length) return;
    event.preventDefault();
    void this.addImages(place, data.files);
  }

  /** @param {number} place @returns {HTMLElement} a button that opens the dialog of files */
  chooser(place) {
    const input = element("input", { type: "file", accept: "image/*", multiple: true, hidden: true, onchange: (/** @type {any} */ event) => this.addImages(place, event.target.files) });
    const label = `add an image to message ${place + 1}`;
    return element("span", {}, element("button", { type: "button", class: "quiet", "aria-label": label, title: "or drop or paste one", onclick: () => input.click() }, "+ image"), input);
  }

  /** @param {number} place @param {Iterable<File>} files */
  async addImages(place, files) {
    const urls = await dataUrls(files);
    const form = this.images;
    if (!urls.length || !form) return;
    const message = this.messages[place];
    const { content } = message;
    const parts = Array.isArray(content) ? content : content ? [{ type: "text", text: content }] : [];
    const images = urls.map((url) => form.part(url));
    const texts = parts.filter((part) => !form.url(part));
    this.messages[place] = { ...message, content: [...parts.filter((part) => form.url(part)), ...images, ...texts] };
    this.changed();
  }

  /** The images of a message, each with a button to take it out. @param {number} place @returns {HTMLElement | null} */
  shown(place) {
    const content = this.messages[place]?.content;
    if (!this.images || !Array.isArray(content)) return null;
    const form = this.images;
    const shown = content.flatMap((part, at) => {
      const url = form.url(part);
      return url ? [this.image(place, at, url)] : [];
    });
    return shown.length ? element("div", { class: "images" }, ...shown) : null;
  }

  /** An image of another host is named and not shown: the page asks nothing of the network. @param {number} place @param {number} at @param {string} url */
  image(place, at, url) {
    const picture = url.startsWith("data:image/") ? element("img", { src: url, alt: `image ${at + 1} of message ${place + 1}` }) : element("code", {}, url.slice(0, 60));
    const without = () => {
      const message = this.messages[place];
      const rest = message.content.filter((/** @type {any} */ _, /** @type {number} */ other) => other !== at);
      const isPlain = rest.length <= 1 && rest.every((/** @type {any} */ part) => typeof part?.text === "string");
      this.messages[place] = { ...message, content: isPlain ? (rest[0]?.text ?? "") : rest };
      this.changed();
    };
    return element("figure", {}, picture, element("button", { type: "button", class: "quiet", "aria-label": `remove image ${at + 1} of message ${place + 1}`, onclick: without }, "×"));
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
