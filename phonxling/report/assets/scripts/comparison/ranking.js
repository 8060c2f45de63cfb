// The ranking of a comparison: one measure of all items, the best first, beside its floor and chance.

import { change } from "../address.js";
import { number, page, readTable } from "../data.js";
import { byId, fillSelect } from "../elements.js";
import { drawSideBySide } from "../numbers/side_by_side.js";
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
  const { unit } = (await readTable("comparison.tsv")).rows.find(({ measure }) => measure === chosen) ?? {
    unit: "ratio",
  };
  const lines = own.map((row) => ({ ...row, title: titleOf(row.item), unit }));
  drawSideBySide(
    byId("side-by-side"),
    lines.map((row) => ({ ...row, chance: number(row.chance), floor: number(row.floor) })),
  );
}
