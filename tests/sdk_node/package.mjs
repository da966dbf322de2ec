// The package that `make sdk-ts` built, and clients of the running server; PACKAGE and BASE_URL name them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = process.env.PACKAGE;
const entries = Object.entries(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports);
export const contracts = entries.map(([name]) => name.slice(2)).filter((name) => name);

/** What a contract's entry point exports. */
export function load(contract) {
  const [, entry] = entries.find(([name]) => name === `./${contract}`);
  return import(join(root, entry.default));
}

/** A client of the server's contract; `options` win. */
export async function clientOf(contract, options = {}) {
  const { Client } = await load(contract);
  return new Client({ baseUrl: `${process.env.BASE_URL}/${contract}`, ...options });
}

/** The code that a contract's page shows, its heading with it, but for the first piece, which makes the client. */
export function examples(contract) {
  const text = readFileSync(join(root, `${contract}.md`), "utf8");
  return text.split("\n## ").slice(1).map((section) => ({
    name: section.split("\n")[0],
    code: section.split("```ts\n")[1].split("\n```")[0],
  }));
}
