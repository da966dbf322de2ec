/**
 * @module
 * The head of both pages: what is served, the field for a key, light or dark.
 */

import * as credentials from "./credentials.js";
import { find } from "./dom.js";
import { initTheme } from "./theme.js";

/** @typedef {{name: string, title: string, base_path: string}} Entry of a contract; base_path: of its clients' base URL */
/** @typedef {{version: string, model: string, example_model: string, device: string, asks_for_key: boolean, generates_text: boolean, contracts: Entry[]}} About */

/** @param {() => void} [onKey] called when the key changes @returns {Promise<About>} */
export async function showHeader(onKey = () => {}) {
  initTheme(find("#theme"));
  /** @type {About} */
  const about = await (await fetch("playground/about")).json();
  find("#model").textContent = about.model;
  find("#device").textContent = `${about.device} · ${about.version}`;
  const key = find("#key");
  key.value = credentials.key();
  find("#key-field").hidden = !about.asks_for_key;
  key.addEventListener("input", () => {
    credentials.keep(key.value);
    onKey();
  });
  return about;
}
