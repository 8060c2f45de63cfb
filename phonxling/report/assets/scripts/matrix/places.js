// Which rows and columns of a view are shown, in which order, and which classes they are of.

import { GAP } from "../data.js";
import { ordered } from "./orders.js";

/** The places of the rows and columns that the filters leave, in the chosen order, and the bands of classes. */
export function placesOf(chosen, views, { listed, classes }) {
  const [view] = views;
  const places = filtered(chosen, views, ordered(view, chosen.order, listed));
  const banded = chosen.order === "class" && !view.unfolded && Object.keys(classes).length > 0;
  return { ...places, bands: banded ? bandsOf(view, places, classes) : null };
}

function filtered({ corpus, class: name, partners }, views, { rows, columns }) {
  const [view] = views;
  const members = name && new Set(corpus.classes[name]);
  const inClass = ({ label, members: own }) => !members || label === GAP || own.some((phone) => members.has(phone));
  const kept = rows.filter((row) => inClass(view.rows[row]));
  if (!partners) return { rows: kept, columns };
  const [own, heard] = [view.rows, view.columns].map((groups) =>
    groups.findIndex((group) => group.members.includes(partners)),
  );
  const meet = (row, column) =>
    row >= 0 && column >= 0 && views.some(({ counts }) => counts[row * view.columns.length + column] > 0);
  return {
    rows: kept.filter((row) => row === own || meet(row, heard)),
    columns: columns.filter((column) => column === heard || meet(own, column)),
  };
}

/** Runs of rows, and of columns, of one class: [name, how many, folded]. */
function bandsOf(view, places, classes) {
  const classOf = new Map(Object.entries(classes).flatMap(([name, own]) => own.map((phone) => [phone, name])));
  const runs = (groups, shown) => {
    const bands = [];
    for (const place of shown) {
      const { members, folded } = groups[place];
      const name = classOf.get(members[0]) ?? "";
      if (bands.at(-1)?.[0] === name) bands.at(-1)[1] += 1;
      else bands.push([name, 1, folded]);
    }
    return bands;
  };
  return { rows: runs(view.rows, places.rows), columns: runs(view.columns, places.columns) };
}
