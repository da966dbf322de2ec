// What the clients of all contracts have in common.
export * from "./errors.js";
export * from "./runtime.js";
