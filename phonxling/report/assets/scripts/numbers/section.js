// Numbers: the table, whose numbers are copied as lines for a paper.

import { number, page, readTable } from "../data.js";
import { byId } from "../elements.js";
import { rounded } from "../rounding.js";
import { copyLine } from "./copying.js";

let rows = null;

export const numbers = { id: "numbers", keys: ["measure"], show, place };

/** Where a state leads: to the row of its measure; to its definition where the table has none. */
function place({ measure }) {
  if (!measure) return byId("numbers-section");
  return byId("numbers-table").querySelector("tr.chosen") ?? byId(`def-${measure.split(" ")[0]}`);
}

/** Marks a measure in the table, and makes its numbers copies. */
async function show(state) {
  await read();
  mark(state.measure);
  byId("numbers-table").onclick = copied;
}

const keyOf = ({ measure, variant }) => [measure, variant].filter(Boolean).join(" ");

async function read() {
  rows ??= [...(await readTable("summary.tsv")).rows, ...(await readTable("details.tsv")).rows];
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
