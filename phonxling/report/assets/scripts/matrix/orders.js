// In which order the rows and columns of a matrix stand.

import { GAP } from "../data.js";
import { alongDiagonal, leaves } from "./cluster.js";

export const ORDERS = {
  chart: "IPA chart",
  class: "natural classes, to be folded",
  features: "features: like phones side by side",
  clustering: "clustering: heard alike side by side",
  frequency: "frequency",
};

/** The places of a view's rows and columns in the chosen order, ∅ last; `listed`: phones in the orders of a page. */
export function ordered(view, order, listed) {
  if (order === "clustering") return clustered(view);
  if (order === "frequency") return { rows: byTokens(view, true), columns: byTokens(view, false) };
  const names = listed[order === "features" ? "features" : "chart"] ?? [];
  const rank = new Map(names.map((name, place) => [name, place]));
  const first = ({ members }) => Math.min(...members.map((name) => rank.get(name) ?? names.length));
  return { rows: ranked(view.rows, first), columns: ranked(view.columns, first) };
}

/** The places of groups from the lowest value to the highest, ∅ last. */
function ranked(groups, measure) {
  const values = groups.map(measure);
  const last = (place) => Number(groups[place].label === GAP);
  return groups.map((_, place) => place).sort((a, b) => last(a) - last(b) || values[a] - values[b] || a - b);
}

function byTokens({ rows, columns, counts }, ofRows) {
  const totals = new Float64Array(ofRows ? rows.length : columns.length);
  counts.forEach((count, place) => {
    totals[ofRows ? Math.floor(place / columns.length) : place % columns.length] += count;
  });
  const groups = ofRows ? rows : columns;
  return ranked(groups, (group) => -totals[groups.indexOf(group)]);
}

/** Rows heard alike side by side, columns along the diagonal: of the shares of counts between phones. */
function clustered({ rows, columns, counts }) {
  const [own, heard] = [rows, columns].map((groups) => groups.findIndex(({ label }) => label === GAP));
  const phones = rows.map((_, place) => place).filter((place) => place !== own);
  const others = columns.map((_, place) => place).filter((place) => place !== heard);
  const between = Float64Array.from(
    phones.flatMap((row) => others.map((column) => counts[row * columns.length + column])),
  );
  const profiles = phones.map((_, place) => {
    const line = between.subarray(place * others.length, (place + 1) * others.length);
    const total = line.reduce((sum, count) => sum + count, 0);
    return Array.from(line, (count) => (total ? count / total : 0));
  });
  const order = leaves(profiles);
  const along = alongDiagonal(
    order.map((place) => profiles[place]),
    others.length,
  );
  return {
    rows: [...order.map((place) => phones[place]), ...(own < 0 ? [] : [own])],
    columns: [...along.map((place) => others[place]), ...(heard < 0 ? [] : [heard])],
  };
}
