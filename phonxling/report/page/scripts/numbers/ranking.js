// Corpora side by side: a measure's values with their intervals, and the level of chance where there is one.

import { change } from "../address.js";
import { number, page, readTable } from "../data.js";
import { byId, element, fillSelect, shown, withInterval } from "../elements.js";

export const ranking = { id: "ranking", keys: ["measure"], show };

async function show(state) {
  const { rows } = await readTable("summary.tsv");
  const several = byId("ranking-section");
  several.hidden = page.corpora.length < 2;
  if (several.hidden) return;
  const key = (row) => [row.measure, row.variant].filter(Boolean).join(" ");
  const numbers = rows.filter((row) => row.value !== "" && row.corpus);
  const wanted = [...new Set(numbers.map(key))].filter((name) => numbers.filter((row) => key(row) === name).length > 1);
  const chosen = [state.measure, "wper", wanted[0]].find((name) => wanted.includes(name));
  fillSelect(
    byId("measure"),
    wanted.map((name) => [name, name]),
    chosen,
  );
  byId("measure").onchange = ({ target }) => change({ measure: target.value });
  drawRanking(
    numbers,
    numbers.filter((row) => key(row) === chosen),
  );
}

function drawRanking(every, rows) {
  const lines = rows
    .map((row) => ({
      corpus: row.corpus,
      value: number(row.value),
      low: number(row.low),
      high: number(row.high),
      unit: row.unit,
      chance: chanceOf(every, row),
    }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((a, b) => a.value - b.value);
  const ends = lines.flatMap(({ value, low, high, chance }) => [0, value, low, high, chance]);
  const limits = ends.filter(Number.isFinite);
  const [least, most] = [Math.min(...limits), Math.max(...limits)];
  const share = (value) => `${most > least ? (100 * (value - least)) / (most - least) : 50}%`;
  byId("ranking").replaceChildren(...lines.map((line) => rankingRow(line, share)));
}

const chanceOf = (every, { corpus, measure, variant }) => {
  const found = every.find(
    (row) => row.corpus === corpus && row.measure === `chance_${measure}` && row.variant === "best",
  );
  return found && !variant ? number(found.value) : NaN;
};

function rankingRow({ corpus, value, low, high, chance, unit }, share) {
  const strip = element("span", { class: "strip", "aria-hidden": "true" });
  const put = (name, at, to) => {
    const made = element("span", { class: name });
    made.style.setProperty("--at", at);
    if (to) made.style.setProperty("--to", to);
    strip.append(made);
  };
  if (!Number.isNaN(low)) put("range", share(low), share(high));
  if (!Number.isNaN(chance)) put("chance", share(chance));
  put("dot", share(value));
  const told = [withInterval(value, low, high), unit, Number.isNaN(chance) ? "" : `chance ${shown(chance)}`];
  return element("li", {}, element("b", {}, corpus), strip, element("span", {}, told.filter(Boolean).join(", ")));
}
