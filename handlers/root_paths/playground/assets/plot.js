/**
 * @module
 * A line over the last two minutes, with its value now.
 */

import { element, svg } from "./dom.js";

const WIDTH = 240;
const HEIGHT = 48;

/** @typedef {{at_s: number, value: number, under?: number}} Sample value: the line; under: a second, paler area above it */

export class Plot {
  /**
   * @param {string} name
   * @param {string} title what is counted, for who wants to know
   * @param {(value: number) => string} format
   * @param {number} span_s
   * @param {number} [floor] the picture's least height, so that what is next to nothing looks like it
   */
  constructor(name, title, format, span_s, floor = 1) {
    this.format = format;
    this.span_s = span_s;
    this.floor = floor;
    /** @type {Sample[]} */
    this.samples = [];
    this.now = element("strong", {}, "–");
    this.most = element("span", { class: "plot-most" });
    this.area = svg("path", { class: "plot-area" });
    this.pale = svg("path", { class: "plot-pale" });
    this.line = svg("path", { class: "plot-line" });
    const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" }, this.pale, this.area, this.line);
    this.element = element(
      "figure",
      { class: "plot", title, "data-plot": name },
      element("figcaption", {}, element("span", { class: "plot-name" }, name), this.now),
      element("div", { class: "plot-picture" }, picture, this.most),
      element("div", { class: "plot-axis", "aria-hidden": "true" }, ...[1, 0.5, 0].map((share) => element("span", {}, ago(share * span_s)))),
    );
  }

  /** @param {Sample} sample */
  add(sample) {
    this.samples.push(sample);
    while (this.samples[0].at_s < sample.at_s - this.span_s) this.samples.shift();
    this.draw();
  }

  /** Nobody knows the value now. */
  lose() {
    this.now.textContent = "–";
  }

  draw() {
    const last = this.samples[this.samples.length - 1];
    const top = Math.max(this.floor, ...this.samples.map((one) => one.value + (one.under ?? 0)));
    const x = (/** @type {Sample} */ one) => WIDTH * (1 - (last.at_s - one.at_s) / this.span_s);
    const y = (/** @type {number} */ value) => HEIGHT - 2 - (HEIGHT - 4) * Math.min(1, value / top);
    const line = this.samples.map((one) => `${x(one).toFixed(1)},${y(one.value).toFixed(1)}`);
    const pale = this.samples.map((one) => `${x(one).toFixed(1)},${y(one.value + (one.under ?? 0)).toFixed(1)}`);
    const left = x(this.samples[0]).toFixed(1);
    this.line.setAttribute("d", `M${line.join("L")}`);
    this.area.setAttribute("d", `M${left},${HEIGHT}L${line.join("L")}L${WIDTH},${HEIGHT}Z`);
    this.pale.setAttribute("d", last.under === undefined ? "" : `M${left},${HEIGHT}L${pale.join("L")}L${WIDTH},${HEIGHT}Z`);
    this.now.textContent = this.format(last.value);
    const most = Math.max(...this.samples.map((one) => one.value));
    this.most.textContent = most ? `max ${this.format(most)}` : "";
  }
}

/** @param {number} seconds @returns {string} */
function ago(seconds) {
  return seconds ? `−${seconds / 60} min` : "now";
}
