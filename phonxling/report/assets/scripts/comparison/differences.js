// Every measure of two items beside each other, with the difference, its interval and q; sorted by a head.

import { change } from "../address.js";
import { number, page, readTable } from "../data.js";
import { byId, element } from "../elements.js";
import { sortedRows, sortHead } from "../numbers/sorting.js";
import { rounded } from "../rounding.js";
import { pairOf, titleOf } from "./pairs.js";

const SIGNIFICANT = 0.05;
const BOOTSTRAP = / bootstrap$/;

export const differences = { id: "differences", keys: ["other", "sorted"], show };

/** Shows the measures of a state's pair, in the order of a column; "-q": the largest q first. */
async function show(state) {
  const [first, second] = pairOf(state);
  const every = (await readTable("comparison.tsv")).rows;
  const rows = every
    .filter(({ item, other, test }) => item === first && other === second && BOOTSTRAP.test(test))
    .map((row) => ({
      ...row,
      measure: page.measures[[row.measure, row.variant].filter(Boolean).join(" ")],
      name: row.measure,
    }));
  const sort = state.sorted || "q";
  const chosen = { column: sort.replace(/^-/, ""), down: sort.startsWith("-") };
  const columns = [
    ["measure", "measure", "A name leads to its definition"],
    ["value", titleOf(first), "Value with its interval"],
    ["other_value", titleOf(second), "Value with its interval"],
    ["difference", "difference", "Value of the first less that of the second, with its interval"],
    ["q", "q", "p corrected over all bootstrap tests of the comparison"],
    ["note", "note", "What weakens the test, or why there is none"],
  ].filter(([name]) => name !== "note" || rows.some(({ note }) => note));
  const heads = columns.map(([name, title, meaning]) =>
    sortHead(title, meaning, { column: chosen.column === name ? title : "", down: chosen.down }, () =>
      change({ sorted: chosen.column === name && !chosen.down ? `-${name}` : name }),
    ),
  );
  const lines = sortedRows(rows, chosen.column, chosen.down).map((row) => line(row, columns));
  byId("differences").replaceChildren(
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...lines),
  );
  byId("differences-told").textContent = rows.length
    ? told(rows)
    : "comparison.tsv is too large to be carried by the page.";
}

function told(rows) {
  const tested = rows.filter(({ q }) => q !== "");
  const differ = tested.filter(({ q }) => number(q) < SIGNIFICANT).length;
  return `${differ} of ${tested.length} measures tested have q below 0.05 (${rows[0].correction}); ${rows[0].test}.`;
}

function line(row, columns) {
  const differs = row.q !== "" && number(row.q) < SIGNIFICANT;
  const made = columns.map(([name]) => {
    if (name === "measure")
      return element("th", { scope: "row" }, element("a", { href: `#def-${row.name}` }, row.measure));
    if (name === "note") return element("td", { class: "note" }, row.note);
    return element("td", {}, text(row, name));
  });
  return element("tr", { class: differs ? "differs" : null }, ...made);
}

function text(row, name) {
  if (name === "q")
    return row.q === "" ? "not tested" : number(row.q) < 0.001 ? "< 0.001" : number(row.q).toPrecision(2);
  const limits = {
    value: ["low", "high"],
    other_value: ["other_low", "other_high"],
    difference: ["difference_low", "difference_high"],
  };
  return rounded(number(row[name]), ...limits[name].map((limit) => number(row[limit])));
}
