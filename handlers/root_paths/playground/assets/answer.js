/**
 * @module
 * What a server answered, whichever contract it speaks: texts, thoughts, calls, tokens, counts.
 */

/** @typedef {{text: string, logprob: number | null}} Alternative */
/** @typedef {{text: string, logprob: number | null, id?: number, isSpecial?: boolean, alternatives: Alternative[]}} Token */
/** @typedef {"text" | "reasoning" | "call" | "refusal" | "prompt"} SegmentKind */
/** @typedef {{kind: SegmentKind, key: string, text: string, name: string, id: string}} Segment */

/** One of the answers to a request, in the order in which its segments came. */
export class Choice {
  /** @param {Answer} answer @param {number} index */
  constructor(answer, index) {
    this.answer = answer;
    this.index = index;
    /** @type {Segment[]} */
    this.segments = [];
    /** @type {Token[]} */
    this.tokens = [];
    /** @type {string | null} */
    this.finish = null;
  }

  /** @param {string | null | undefined} text @param {SegmentKind} [kind] */
  say(text, kind = "text") {
    if (!text) return;
    this.answer.numPieces += 1;
    const last = this.segments.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.segments.push({ kind, key: "", text, name: "", id: "" });
  }

  /** In place of all that was said so far. @param {string} text @param {SegmentKind} [kind] */
  sayInstead(text, kind = "text") {
    this.segments = this.segments.filter((one) => one.kind !== kind);
    this.say(text, kind);
  }

  /**
   * A call of a tool, or a piece of one.
   *
   * @param {string | number} key what tells one call from another
   * @param {{name?: string | null, id?: string | null, text?: any}} piece
   */
  call(key, { name, id, text }) {
    this.answer.numPieces += 1;
    let call = this.segments.find((one) => one.kind === "call" && one.key === String(key));
    if (!call) {
      call = { kind: "call", key: String(key), text: "", name: "", id: "" };
      this.segments.push(call);
    }
    call.name ||= name ?? "";
    call.id ||= id ?? "";
    call.text += typeof text === "string" ? text : text === undefined || text === null ? "" : JSON.stringify(text);
  }

  /** @param {Token} token */
  tell(token) {
    this.tokens.push(token);
  }

  /** All that was said to the reader. @returns {string} */
  get text() {
    return this.segments.filter((one) => one.kind === "text" || one.kind === "prompt").map((one) => one.text).join("");
  }
}

export class Answer {
  constructor() {
    /** @type {Choice[]} */
    this.choices = [];
    /** Counts and other things told, flat: `prompt_tokens` and `14`. @type {Map<string, string>} */
    this.facts = new Map();
    /** @type {any} an error's body or event, as the contract words it */
    this.error = null;
    /** @type {any} what no shape explains better */
    this.value = undefined;
    /** @type {{values: number[], index: number}[]} */
    this.vectors = [];
    /** Pieces of text, thought and call that came. */
    this.numPieces = 0;
    /** @type {number | null} tokens generated, where the answer tells */
    this.numGenerated = null;
  }

  /** @param {number | null | undefined} index @returns {Choice} */
  choice(index) {
    const place = index ?? 0;
    this.choices[place] ??= new Choice(this, place);
    return this.choices[place];
  }

  /** Tokens that were told one by one. @returns {number} */
  get numTold() {
    return this.choices.reduce((sum, choice) => sum + choice.tokens.length, 0);
  }

  /** Adds what an object tells to the facts. @param {any} object @param {string} [prefix] */
  tell(object, prefix = "") {
    for (const [name, value] of Object.entries(object ?? {})) {
      const path = prefix ? `${prefix}.${name}` : name;
      if (value === null || value === undefined) continue;
      if (typeof value === "object" && !Array.isArray(value)) this.tell(value, path);
      // Of details, those that say something; all stand in the raw answer.
      else if (!prefix || (value !== 0 && value !== ""))
        this.facts.set(path, Array.isArray(value) ? brief(value) : String(value));
    }
  }

  /** @param {any} usage @param {number | null | undefined} numGenerated */
  count(usage, numGenerated) {
    this.tell(usage);
    if (typeof numGenerated === "number") this.numGenerated = numGenerated;
  }
}

/** @param {any[]} list @returns {string} */
function brief(list) {
  const shown = list.slice(0, 12).map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one)));
  return shown.join(", ") + (list.length > shown.length ? `, … (${list.length})` : "");
}
