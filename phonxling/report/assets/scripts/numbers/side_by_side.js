// One measure of all corpora: values with their intervals, and chance and floor where there are such.

import { number } from "../data.js";
import { element } from "../elements.js";
import { rounded } from "../rounding.js";

/** Draws lines, the least value first; a corpus without a value says why it has none. */
export function drawSideBySide(list, lines) {
  const told = lines.map((line) => ({
    ...line,
    value: number(line.value),
    low: number(line.low),
    high: number(line.high),
  }));
  const defined = told.filter(({ value }) => Number.isFinite(value)).sort((a, b) => a.value - b.value);
  const limits = defined.flatMap(({ value, low, high, chance, floor, people }) => [
    0,
    ...[value, low, high, chance, floor, people],
  ]);
  const ends = limits.filter(Number.isFinite);
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const share = (value) => `${most > least ? (100 * (value - least)) / (most - least) : 50}%`;
  const missing = told.filter((line) => !defined.includes(line));
  list.replaceChildren(...defined.map((line) => drawn(line, share)), ...missing.map(undrawn));
}

function drawn({ title, value, low, high, unit, chance, floor, people = NaN }, share) {
  const strip = element("span", { class: "strip", "aria-hidden": "true" });
  const put = (name, at, to) => {
    const made = element("span", { class: name });
    made.style.setProperty("--at", at);
    if (to) made.style.setProperty("--to", to);
    strip.append(made);
  };
  if (!Number.isNaN(low)) put("range", share(low), share(high));
  if (!Number.isNaN(floor)) put("floor", share(floor));
  if (!Number.isNaN(people)) put("people", share(people));
  if (!Number.isNaN(chance)) put("chance", share(chance));
  put("dot", share(value));
  const levels = [
    ["floor", floor],
    ["people", people],
    ["chance", chance],
  ].filter(([, level]) => !Number.isNaN(level));
  const text = [`${rounded(value, low, high)}${unit === "ratio" ? "" : ` ${unit}`}`];
  for (const [name, level] of levels) text.push(`${name} ${rounded(level)}`);
  return element("li", {}, element("b", {}, title), strip, element("span", {}, text.join(", ")));
}

const undrawn = ({ title, note }) =>
  element("li", {}, element("b", {}, title), element("span"), note || "no such number");
