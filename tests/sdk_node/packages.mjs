// The packages that `make sdk-ts` built, and clients of the running server; PACKAGES and BASE_URL name them. PETS
// names those of the generator's own test, which has what no contract of this server has.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = process.env.PACKAGES;

export const contracts = readdirSync(root).filter((name) => existsSync(join(root, name, "package.json")));

/** What a contract's package exports. */
export function load(contract) {
  return import(join(root, contract, "dist", "index.js"));
}

/** A client of the server's contract; `options` win. */
export async function clientOf(contract, options = {}) {
  const { Client } = await load(contract);
  return new Client({ baseUrl: `${process.env.BASE_URL}/${contract}`, ...options });
}

/** What the package of the generator's own test exports. */
export function loadPets() {
  return import(join(process.env.PETS, "pets", "dist", "index.js"));
}

/** The code that a package's README shows, its heading with it, but for the first piece, which makes the client. */
export function examples(contract) {
  const text = readFileSync(join(root, contract, "README.md"), "utf8");
  return text.split("\n## ").slice(1).map((section) => ({
    name: section.split("\n")[0],
    code: section.split("```ts\n")[1].split("\n```")[0],
  }));
}
