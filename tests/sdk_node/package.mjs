// The package that `make sdk-ts` built, and clients of the running server; PACKAGE and BASE_URL name them. PETS
// names that of the generator's own test, which has what no contract of this server has.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = process.env.PACKAGE;

/** The entry points of a package, and the file of each. */
function entryPoints(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return new Map(Object.entries(exports).map(([name, entry]) => [name.slice(2), join(folder, entry.default)]));
}

// "admin" is that of the process which starts other servers.
export const contracts = [...entryPoints(root).keys()].filter((name) => name && name !== "admin");

/** What a contract's entry point exports. */
export function load(contract) {
  return import(entryPoints(root).get(contract));
}

/** What the client of the generator's own test exports. */
export function loadPets() {
  return import(entryPoints(process.env.PETS).get("pets"));
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
