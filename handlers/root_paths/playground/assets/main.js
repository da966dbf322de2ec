/**
 * @module
 * Ties the page together: which contract and operation are chosen, what is sent, and where the answer goes.
 */

import { AnswerView } from "./answer_view.js";
import { loadContract } from "./contract.js";
import { element, find, onceAFrame, prose } from "./dom.js";
import { Exchange } from "./exchange.js";
import { showHeader } from "./header.js";
import { Live } from "./live.js";
import { RawView } from "./raw_view.js";
import { Workbench } from "./workbench.js";

/** @typedef {import("./contract.js").Contract} Contract */
/** @typedef {import("./contract.js").Operation} Operation */
/** @typedef {import("./header.js").About} About */

class Page {
  /** @param {About} about */
  constructor(about) {
    this.about = about;
    /** @type {Map<string, Promise<Contract>>} */
    this.contracts = new Map();
    this.picker = find("#operation");
    this.send = find("#send");
    this.stop = find("#stop");
    this.goOn = find("#go-on");
    this.answer = new AnswerView();
    this.raw = new RawView();
    this.workbench = new Workbench(() => this.showRequest());
    /** @type {Exchange | null} */
    this.exchange = null;
    this.draw = onceAFrame(() => this.paint());
    this.showContracts();
    this.listen();
  }

  showContracts() {
    const links = this.about.contracts.map(({ name }) => element("button", { type: "button", role: "tab", "data-contract": name, onclick: () => this.open(name, "") }, name));
    find("#contracts").replaceChildren(...links);
  }

  listen() {
    find("#request").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.run();
    });
    this.stop.addEventListener("click", () => this.exchange?.stop());
    this.goOn.addEventListener("click", () => this.converse());
    this.picker.addEventListener("change", () => this.open(this.current, this.picker.value));
    addEventListener("hashchange", () => this.follow());
    addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) this.run();
    });
  }

  /** Opens what the address names. */
  follow() {
    const [name, id = ""] = decodeURIComponent(location.hash.slice(1)).split("/");
    const names = this.about.contracts.map((one) => one.name);
    if (name !== this.current || id !== this.workbench.operation?.id) this.open(names.includes(name) ? name : names[0], id);
  }

  get current() {
    return this.workbench.operation?.contract.name ?? "";
  }

  /** @param {string} name @returns {Promise<Contract>} */
  contract(name) {
    const known = this.contracts.get(name) ?? loadContract(name, this.about);
    this.contracts.set(name, known);
    return known;
  }

  /** @param {string} name @param {string} id of an operation */
  async open(name, id) {
    const contract = await this.contract(name);
    const operation = contract.operation(id);
    for (const tab of document.querySelectorAll("[data-contract]")) {
      tab.setAttribute("aria-selected", String(/** @type {HTMLElement} */ (tab).dataset.contract === name));
    }
    this.picker.replaceChildren(...options(contract, operation));
    find("#summary").replaceChildren(...prose(operation.summary));
    find("#reference").href = `${name}/docs`;
    this.workbench.open(operation);
    this.goOn.hidden = true;
    history.replaceState(null, "", `#${name}/${encodeURIComponent(operation.id)}`);
  }

  showRequest() {
    this.raw.showRequest(this.workbench.request());
  }

  async run() {
    this.exchange?.stop();
    const exchange = new Exchange(this.workbench.request());
    this.exchange = exchange;
    this.answer.remove();
    this.answer = new AnswerView();
    find("#exchange").replaceChildren(this.answer.element);
    this.raw.clear();
    this.setBusy(true);
    this.draw();
    if (matchMedia("(max-width: 900px)").matches) find("#answer").scrollIntoView();
    await exchange.run(() => this.draw());
    if (exchange !== this.exchange) return;
    this.paint();
    this.setBusy(false);
    if (exchange.answer.error) this.workbench.blame(exchange.answer.error);
    this.goOn.hidden = !this.workbench.conversation || !this.said();
  }

  /** The text of the first answer, if it is nothing but text. @returns {string} */
  said() {
    const choice = this.exchange?.answer.choices[0];
    return choice?.segments.some((one) => one.kind === "call") ? "" : (choice?.text ?? "");
  }

  converse() {
    this.goOn.hidden = true;
    this.workbench.conversation?.goOn(this.said());
  }

  /** @param {boolean} isBusy */
  setBusy(isBusy) {
    this.goOn.hidden = true;
    this.send.hidden = isBusy;
    this.stop.hidden = !isBusy;
    find("#answer").setAttribute("aria-busy", String(isBusy));
  }

  paint() {
    if (!this.exchange) return;
    this.answer.show(this.exchange);
    this.raw.show(this.exchange);
  }
}

/** @param {Contract} contract @param {Operation} chosen @returns {HTMLElement[]} */
function options(contract, chosen) {
  const tags = [...new Set(contract.operations.map((one) => one.tag))];
  return tags.map((tag) => {
    const some = contract.operations.filter((one) => one.tag === tag);
    return element("optgroup", { label: tag || "operations" }, ...some.map((one) => element("option", { value: one.id, selected: one === chosen }, `${one.method} ${one.path}`)));
  });
}

new Live(find("#live"));
/** @type {Page} */
const page = new Page(await showHeader(() => page.showRequest()));
page.follow();
