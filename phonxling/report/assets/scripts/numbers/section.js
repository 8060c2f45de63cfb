// Numbers: the table, whose numbers are copied as lines for a paper, and one measure of all corpora side by side.

import { change } from "../address.js";
import { number, page, readTable } from "../data.js";
import { byId, element, fillGroups } from "../elements.js";
import { rounded } from "../rounding.js";
import { copyLine } from "./copying.js";
import { drawSideBySide } from "./side_by_side.js";

const FIRST = "wper";
let rows = null;
let main = null; // the measures of the summary

export const numbers = { id: "numbers", keys: ["measure"], show, place };

/** Shows a measure side by side, and where it stands in the table. */
async function show(state) {
  await read();
  const known = Object.keys(page.measures).filter((key) => rows.some((row) => keyOf(row) === key && row.value));
  const chosen = [state.measure, FIRST, known[0]].find((key) => known.includes(key));
  if (!chosen) return;
  fillGroups(byId("measure"), grouped(known), chosen);
  byId("measure").onchange = ({ target }) => change({ measure: target.value });
  describe(chosen);
  drawSideBySide(byId("side-by-side"), lines(chosen));
  mark(state.measure);
  byId("numbers-table").onclick = copied;
}

function place(state) {
  return byId(state.measure ? "numbers-measure" : "numbers-section");
}

const keyOf = ({ measure, variant }) => [measure, variant].filter(Boolean).join(" ");

async function read() {
  if (rows) return;
  const summary = (await readTable("summary.tsv")).rows;
  main = new Set(summary.map(keyOf));
  rows = [...summary, ...(await readTable("details.tsv")).rows];
}

/** The measures by where they stand, each under its name in words, in the order of the alphabet. */
function grouped(keys) {
  const options = (ofSummary) =>
    keys
      .filter((key) => main.has(key) === ofSummary)
      .map((key) => [key, page.measures[key]])
      .sort(([, a], [, b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return [
    ["Main numbers", options(true)],
    ["Details", options(false)],
  ];
}

/** Repeats the definition of a measure. */
function describe(key) {
  const definition = byId(`def-${key.split(" ")[0]}`);
  const link = element("a", { href: `#${definition.id}` }, "definition");
  byId("measure-told").replaceChildren(`${definition.nextElementSibling.textContent} (`, link, ")");
}

/** What is drawn of a measure: each corpus' row, with its level of chance and its floor where it has them. */
function lines(key) {
  const measure = key.split(" ")[0];
  const variant = key.slice(measure.length + 1);
  const of = (corpus, name, form) =>
    rows.find((row) => row.corpus === corpus && row.measure === name && row.variant === form);
  return page.corpora.map(({ name, title }) => {
    const row = of(name, measure, variant);
    const level = (what, form) => (!variant ? number(of(name, what, form)?.value) : NaN);
    const [floor, people] = ["floor", "people"].map((kind) => level(`${kind}_${measure}`, ""));
    return { ...row, title, chance: level(`chance_${measure}`, "best"), floor, people };
  });
}

/** Marks the row of a measure in the table. */
function mark(key) {
  for (const row of byId("numbers-table").tBodies[0].rows) row.classList.toggle("chosen", row.dataset.measure === key);
}

/** Copies the number that was clicked, with its interval and signature. */
function copied({ target }) {
  const button = target.closest("button[data-corpus]");
  if (!button) return;
  const key = button.closest("tr").dataset.measure;
  const { name, title } = page.corpora.find((corpus) => corpus.name === button.dataset.corpus);
  const row = rows.find((each) => each.corpus === name && keyOf(each) === key);
  copyLine(byId("copied"), line(row, page.measures[key], title));
}

/** The line: measure, number, interval, corpus, what it rests on, version and signature. */
function line(row, words, corpus) {
  const text = rounded(number(row.value), number(row.low), number(row.high));
  const level = row.low === "" ? "" : ` (${Math.round(100 * number(row.level))} % interval)`;
  const on = row.n === "" ? "" : `, n = ${rounded(number(row.n))}`;
  const unit = row.unit && row.unit !== "ratio" ? ` ${row.unit}` : "";
  return `${words}, ${corpus}: ${text}${unit}${level}${on}; phonxling ${page.version}, ${row.signature}`;
}
