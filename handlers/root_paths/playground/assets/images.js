/**
 * @module
 * Images in a message: the forms that contracts have for them, and files as data URLs.
 */

import { branches } from "./schema.js";

/** @typedef {import("./contract.js").Contract} Contract */
/** @typedef {import("./contract.js").Schema} Schema */

/**
 * A form of an image in a content.
 *
 * @typedef {object} Form
 * @property {(url: string) => any} part the part with this data URL
 * @property {(part: any) => string | null} url the URL that a part shows; null if it is no image
 */

const DATA_URL = /^data:([^;,]*);base64,(.*)$/s;

/** By the type that a contract's document names. @type {Record<string, Form>} */
const FORMS = {
  image_url: {
    part: (url) => ({ type: "image_url", image_url: { url } }),
    url: (part) => (part?.type === "image_url" ? (part.image_url?.url ?? null) : null),
  },
  image: {
    part: (url) => {
      const [, type, data] = DATA_URL.exec(url) ?? [];
      return { type: "image", source: { type: "base64", media_type: type, data } };
    },
    url: ({ type, source } = {}) => (type !== "image" || !source ? null : source.type === "base64" ? `data:${source.media_type};base64,${source.data}` : (source.url ?? null)),
  },
};

/**
 * The form in which a contract's messages take images.
 *
 * @param {Contract} contract
 * @param {Schema} schema of the list of messages
 * @returns {Form | null} null where they take none
 */
export function imageForm(contract, schema) {
  const messages = branches(contract, schema.items ?? {});
  const contents = messages.flatMap((one) => branches(contract, one.properties?.content ?? {}));
  const parts = contents.flatMap((one) => branches(contract, one.items ?? {}));
  const types = parts.flatMap((one) => branches(contract, one.properties?.type ?? {})).flatMap((one) => one.enum ?? [one.const]);
  const known = Object.keys(FORMS).find((type) => types.includes(type));
  return known ? FORMS[known] : null;
}

/**
 * The images among files, as data URLs.
 *
 * @param {Iterable<File> | null | undefined} files
 * @returns {Promise<string[]>}
 */
export async function dataUrls(files) {
  const images = [...(files ?? [])].filter((file) => file.type.startsWith("image/"));
  return Promise.all(images.map(dataUrl));
}

/** @param {File} file @returns {Promise<string>} */
function dataUrl(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
