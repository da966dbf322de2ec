/**
 * @module
 * The page at the root: the contracts with their addresses, and a chat.
 */

import { Chat } from "./chat.js";
import { loadContract } from "./contract.js";
import { element, find } from "./dom.js";
import { showHeader } from "./header.js";

/** @param {import("./header.js").Entry} entry @returns {HTMLElement} */
function row({ name, title, base_path }) {
  const url = new URL(base_path.slice(1), document.baseURI).href;
  return element("li", {}, element("a", { href: `${name}/docs` }, title), element("code", {}, url));
}

const about = await showHeader();
find("#contracts").replaceChildren(...about.contracts.map(row));
find("#no-chat").hidden = about.generates_text;
find("#chat").hidden = !about.generates_text;
if (about.generates_text) new Chat(about.model, (await loadContract("openai", about)).operation("createChatCompletion"));
