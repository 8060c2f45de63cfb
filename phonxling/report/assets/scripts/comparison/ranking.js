// The ranking of a comparison: one measure of all items, the best first, beside its floor and chance.

import { change } from "../address.js";
import { number, page, readTable } from "../data.js";
import { byId, element, fillSelect } from "../elements.js";
import { rounded } from "../rounding.js";
import { titleOf } from "./pairs.js";

export const ranking = { id: "numbers", keys: ["measure"], show };

async function show(state) {
  const { rows } = await readTable("ranking.tsv");
  const known = [...new Set(rows.map(({ measure }) => measure))];
  const wanted = (state.measure ?? "").split(" ")[0];
  const chosen = known.includes(wanted) ? wanted : known[0];
  if (!chosen) return;
  const words = (name) => page.measures[Object.keys(page.measures).find((key) => key.split(" ")[0] === name)] ?? name;
  fillSelect(
    byId("measure"),
    known.map((name) => [name, words(name)]),
    chosen,
  );
  byId("measure").onchange = ({ target }) => change({ measure: target.value });
  const own = rows.filter(({ measure }) => measure === chosen);
  byId("measure-told").textContent = own.find(({ note }) => note)?.note ?? "";
  const heads = ["item", "value with its interval", "floor", "chance"];
  byId("ranking").replaceChildren(
    element("thead", {}, element("tr", {}, ...heads.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...own.map(line)),
  );
}

function line(row) {
  const value = rounded(number(row.value), number(row.low), number(row.high)) || row.note || "none";
  const cells = [value, rounded(number(row.floor)), rounded(number(row.chance))];
  return element("tr", {}, element("th", { scope: "row" }, titleOf(row.item)), ...cells.map((text) => element("td", {}, text)));
}
