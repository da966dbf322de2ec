/**
 * @module
 * A contract as its served OpenAPI document describes it.
 */

/** @typedef {Record<string, any>} Schema */
/** @typedef {{name: string, summary: string, value: any}} Example */
/** @typedef {{name: string, in: "path" | "query" | "header", required: boolean, schema: Schema, description: string, initial: string}} Parameter */

const METHODS = ["get", "post", "put", "patch", "delete"];

export class Contract {
  /**
   * @param {string} name
   * @param {any} document
   * @param {(value: any) => any} localise puts the served model's name where the document writes an example's
   */
  constructor(name, document, localise) {
    this.name = name;
    this.document = document;
    this.localise = localise;
    /** @type {Operation[]} */
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => new Operation(this, path, method, item)),
    );
  }

  /** What a reference stands for, with what stands next to the reference. @param {any} node @returns {any} */
  resolve(node) {
    while (node?.$ref) {
      const { $ref, ...beside } = node;
      const keys = $ref.slice(2).split("/");
      const found = keys.reduce(
        (/** @type {any} */ at, /** @type {string} */ key) => at[key.replaceAll("~1", "/").replaceAll("~0", "~")],
        this.document,
      );
      node = { ...found, ...beside };
    }
    return node;
  }

  /** @param {string} id @returns {Operation} the one of that name, else one that streams */
  operation(id) {
    return this.operations.find((one) => one.id === id) ?? this.operations.find((one) => one.streams) ?? this.operations[0];
  }
}

/**
 * @param {string} name of a contract
 * @param {{model: string, example_model: string}} about
 * @returns {Promise<Contract>}
 */
export async function loadContract(name, { model, example_model }) {
  const response = await fetch(`${name}/openapi.json`);
  return new Contract(name, await response.json(), (value) => replaced(value, example_model, model));
}

export class Operation {
  /**
   * @param {Contract} contract
   * @param {string} path
   * @param {string} method
   * @param {any} item
   */
  constructor(contract, path, method, item) {
    const said = item[method];
    this.contract = contract;
    this.path = path;
    this.method = method.toUpperCase();
    this.id = said.operationId ?? `${method} ${path}`;
    this.tag = said.tags?.[0] ?? "";
    this.summary = said.summary ?? "";
    this.description = said.description ?? "";
    /** @type {Parameter[]} */
    this.parameters = [...(item.parameters ?? []), ...(said.parameters ?? [])].map((one) => parameter(contract, one));
    const body = contract.resolve(said.requestBody);
    const [mediaType, content] = Object.entries(body?.content ?? {})[0] ?? [null, null];
    this.mediaType = mediaType;
    /** @type {Schema | null} */
    this.schema = content?.schema ?? null;
    /** @type {Example[]} */
    this.examples = content ? examples(content, contract.localise) : [];
    this.streams = Object.values(said.responses).some((one) => contract.resolve(one).content?.["text/event-stream"]);
    this.security = (said.security ?? contract.document.security ?? []).flatMap((/** @type {any} */ needed) =>
      Object.keys(needed).map((name) => contract.resolve(contract.document.components.securitySchemes[name])),
    );
  }

  /** The example to begin with: one that streams where there is one. @returns {Example | undefined} */
  get firstExample() {
    return this.examples.find((one) => this.streams && one.value?.stream === true) ?? this.examples[0];
  }
}

/** @param {Contract} contract @param {any} said @returns {Parameter} */
function parameter(contract, said) {
  const { name, required = false, description = "", ...whole } = contract.resolve(said);
  const [shown] = Object.values(whole.examples ?? {});
  const schema = contract.resolve(whole.schema ?? {});
  const optional = required ? schema.default : undefined;
  const initial = contract.localise(whole.example ?? shown?.value ?? schema.examples?.[0] ?? optional ?? "");
  return { name, in: whole.in, required, schema, description, initial: required ? String(initial) : "" };
}

/** @param {any} value @param {string} from @param {string} to @returns {any} */
function replaced(value, from, to) {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((one) => replaced(one, from, to));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one, from, to)]));
}

/** @param {any} content @param {(value: any) => any} localise @returns {Example[]} */
function examples(content, localise) {
  const named = Object.entries(content.examples ?? {}).map(([name, one]) => ({
    name,
    summary: one.summary ?? name,
    value: localise(one.value),
  }));
  if (named.length || content.example === undefined) return named;
  return [{ name: "example", summary: "The document's example", value: localise(content.example) }];
}
