// The confusion matrix: which corpus, what is shown, which phones; the cell in focus, and the utterances behind it.

import { change } from "../address.js";
import { GAP } from "../data.js";
import { byId, element, fillSelect, folded, shown } from "../elements.js";
import { hideUtterances, showUtterances } from "../utterances/evidence.js";
import { drawMatrix } from "./grid.js";
import { makeView, viewsOf } from "./views.js";

const CONTROLS = ["view", "order", "speaker", "class", "partners"];
let grid = null;
let drawn = "";

export const matrix = { id: "matrix", keys: [...CONTROLS, "gold", "heard"], show, place };

/** Shows the matrix of a state, and the utterances behind its cell. */
function show(state, corpus) {
  const chosen = { corpus, ...Object.fromEntries(CONTROLS.map((name) => [name, state[name] ?? ""])) };
  const key = JSON.stringify([corpus.name, ...CONTROLS.map((name) => chosen[name])]);
  if (key !== drawn) draw(chosen);
  drawn = key;
  const view = makeView(corpus, viewKey(chosen), chosen.speaker);
  const known = view.rows.includes(state.gold) && view.columns.includes(state.heard);
  if (known) showUtterances(corpus, state.gold, state.heard, chosen.speaker, view.countOf(state.gold, state.heard));
  else hideUtterances();
}

/** Where a state leads: to the utterances behind a cell, or to the matrix. */
function place(state) {
  return byId(state.gold && state.heard ? "behind" : "matrix-section");
}

function draw(chosen) {
  fillControls(chosen);
  const view = makeView(chosen.corpus, viewKey(chosen), chosen.speaker);
  const places = placesOf(chosen, view);
  grid = drawMatrix(byId("matrix"), view, places, {
    onFocus: (gold, heard) => tell(view, gold, heard),
    onOpen: (gold, heard) => change({ gold, heard }, { step: true, arrive: true }),
  });
  byId("unit").textContent = legend(chosen, view, places);
  byId("legend").replaceChildren(...scale(view));
  byId("cell").textContent = "Point at a cell, or move with the arrow keys; Enter shows the utterances behind it.";
}

/** The view that is chosen, or the counts where the corpus or the speaker has not that one. */
function viewKey({ corpus, view, speaker }) {
  const known = viewsOf(corpus, speaker).find(([key]) => key === view);
  return known && !known[2] ? view : "counts";
}

function fillControls(chosen) {
  const { alignments, classes, gold, predicted } = chosen.corpus;
  const speakers = [...new Set(alignments.speakers)].filter(Boolean).sort();
  const all = (names) => [["", "all"], ...names.map((name) => [name, name])];
  fillSelect(byId("view"), viewsOf(chosen.corpus, chosen.speaker), viewKey(chosen));
  fillSelect(byId("speaker"), all(speakers), chosen.speaker);
  fillSelect(byId("class"), all(Object.keys(classes)), chosen.class);
  byId("speaker").disabled = speakers.length === 0;
  byId("order").value = chosen.order || "inventory";
  if (byId("partners").value !== chosen.partners) byId("partners").value = chosen.partners;
  byId("phones").replaceChildren(...[...new Set([...gold, ...predicted])].map((phone) => new Option(phone, phone)));
  for (const name of CONTROLS) byId(name).oninput = ({ target }) => change({ [name]: target.value });
  byId("behind-close").onclick = close;
  byId("behind").onkeydown = ({ key }) => key === "Escape" && close();
}

function close() {
  change({ gold: "", heard: "" }, { step: true });
  grid.refocus();
}

function legend(chosen, view, { rows, columns }) {
  const from = view.diverging ? `−${shown(view.limit)} to ${shown(view.limit)}` : `0 to ${shown(view.limit)}`;
  const marks = view.marked?.size ? "; outlined: q below 0.05" : "";
  const sample = chosen.speaker && chosen.corpus.sampled ? "; of the sampled utterances only" : "";
  const size = `${rows.length} × ${columns.length}`;
  const root = view.diverging ? "" : "; colour by the square root";
  return `${view.title}: ${view.unit}, ${from}${root}${marks}${sample}. ${size} cells shown.`;
}

function scale(view) {
  const strip = element("span", { class: view.diverging ? "scale both" : "scale" });
  return [view.diverging ? shown(-view.limit) : "0", strip, shown(view.limit)];
}

/** The rows and columns that the filters leave, in the chosen order. */
function placesOf(chosen, view) {
  const members = chosen.class && new Set(chosen.corpus.classes[chosen.class]);
  const known = chosen.corpus.gold.includes(chosen.partners) || chosen.corpus.predicted.includes(chosen.partners);
  const phone = known ? chosen.partners : "";
  const inClass = (label) => !members || label === GAP || members.has(label);
  const [rows, columns] = [view.rows, view.columns].map((names) => ranked(chosen.order, view, names));
  const shownRows = rows.filter((row) => inClass(view.rows[row]));
  if (!phone) return { rows: shownRows, columns };
  return {
    rows: shownRows.filter((row) => view.rows[row] === phone || touches(view, row, view.columns.indexOf(phone))),
    columns: columns.filter(
      (column) => view.columns[column] === phone || touches(view, view.rows.indexOf(phone), column),
    ),
  };
}

const touches = (view, row, column) =>
  row >= 0 && column >= 0 && view.countOf(view.rows[row], view.columns[column]) > 0;

function ranked(order, view, names) {
  const places = names.map((_, place) => place);
  if (order !== "frequency") return places;
  const isRow = names === view.rows;
  const others = isRow ? view.columns : view.rows;
  const total = names.map((name) =>
    others.reduce((sum, other) => sum + (isRow ? view.countOf(name, other) : view.countOf(other, name)), 0),
  );
  return places.sort((a, b) => (names[a] === GAP) - (names[b] === GAP) || total[b] - total[a] || a - b);
}

function tell(view, gold, heard) {
  const place = view.rows.indexOf(gold) * view.columns.length + view.columns.indexOf(heard);
  const count = view.countOf(gold, heard);
  const value = view.key === "counts" ? "" : `, ${view.title} ${shown(view.values[place])}`;
  byId("cell").replaceChildren(
    ...["Gold ", folded(gold), " heard as ", folded(heard), `: ${shown(count)} tokens${value}`],
  );
}
