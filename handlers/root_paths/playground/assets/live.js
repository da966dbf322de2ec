/**
 * @module
 * What the server does now, asked for once a second while somebody looks at the page.
 */

import { Plot } from "./plot.js";

/** @typedef {Record<string, number>} State as GET playground/state tells it */

const PERIOD_MS = 1000;
const SPAN_S = 120;

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 2 });
const number = (/** @type {number} */ value) => WHOLE.format(value);

export class Live {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.queue = new Plot("queue", "Sequences waiting for their first step", number, SPAN_S);
    this.batch = new Plot("batch", "Sequences per step, mean over the last second", number, SPAN_S);
    this.rate = new Plot("tokens/s", "Tokens generated per second, all requests", number, SPAN_S);
    this.cache = new Plot("KV cache", "Share of the cache in use by requests; lighter: kept for prompts with the same beginning", (value) => SHARE.format(value), SPAN_S, 0.01);
    this.plots = [this.queue, this.batch, this.rate, this.cache];
    place.replaceChildren(...this.plots.map((plot) => plot.element));
    /** @type {State | null} */
    this.last = null;
    this.timer = 0;
    document.addEventListener("visibilitychange", () => this.look());
    this.look();
  }

  /** Asks on while the page is seen, and not otherwise. */
  look() {
    clearTimeout(this.timer);
    if (document.hidden) this.last = null;
    else this.ask();
  }

  async ask() {
    clearTimeout(this.timer);
    try {
      const response = await fetch("playground/state");
      if (!response.ok) throw new Error(response.statusText);
      this.take(await response.json());
    } catch {
      this.last = null;
      this.plots.forEach((plot) => plot.lose());
    }
    if (!document.hidden) this.timer = setTimeout(() => this.ask(), PERIOD_MS);
  }

  /** @param {State} state */
  take(state) {
    const at_s = state.time_s;
    const { num_used_tokens: used, num_idle_tokens: idle, num_cache_tokens: all } = state;
    this.queue.add({ at_s, value: state.num_waiting });
    this.cache.add({ at_s, value: used / all, under: idle / all });
    this.batch.add({ at_s, value: this.since(state, "num_step_sequences", "num_steps") ?? state.num_running });
    this.rate.add({ at_s, value: this.since(state, "num_generated_tokens", "time_s") ?? 0 });
    this.last = state;
  }

  /** What one counter gained by what another did. @param {State} state @param {string} gained @param {string} by @returns {number | null} */
  since(state, gained, by) {
    if (!this.last || state[by] <= this.last[by]) return null;
    return (state[gained] - this.last[gained]) / (state[by] - this.last[by]);
  }
}
