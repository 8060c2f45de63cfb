// The explorer: which corpus, what is shown, which phones; and the cell in focus.

import { openCorpus } from "./corpus.js";
import { GAP, page } from "./data.js";
import { byId, element, fillSelect, folded, shown } from "./elements.js";
import { drawMatrix } from "./matrix.js";
import { showPhones } from "./phones.js";
import { showUtterances } from "./utterances.js";
import { makeView, viewsOf } from "./views.js";

const CONTROLS = ["corpus", "view", "order", "speaker", "class", "phone"];
const state = { corpus: null, view: "counts", order: "inventory", speaker: "", class: "", phone: "" };
let grid = null;

/** Fills the controls and shows the first target. */
export async function startExplorer() {
  const first = page.corpora.find((corpus) => corpus.role === "target") ?? page.corpora[0];
  if (!first) return;
  fillSelect(
    byId("corpus"),
    page.corpora.map(({ name }) => [name, name]),
    first.name,
  );
  for (const name of CONTROLS) byId(name).addEventListener("input", changed);
  byId("behind-close").addEventListener("click", closeUtterances);
  byId("behind").addEventListener("keydown", ({ key }) => key === "Escape" && closeUtterances());
  await chooseCorpus(first.name);
}

async function changed({ target }) {
  if (target.id === "corpus") return chooseCorpus(target.value);
  state[target.id] = target.value;
  if (target.id === "speaker") fillViews();
  return draw();
}

async function chooseCorpus(name) {
  state.corpus = await openCorpus(name);
  Object.assign(state, { speaker: "", class: "", phone: "" });
  byId("phone").value = "";
  const { alignments, classes } = state.corpus;
  const speakers = [...new Set(alignments.speakers)].filter(Boolean).sort();
  fillSelect(byId("speaker"), [["", "all"], ...speakers.map((speaker) => [speaker, speaker])], "");
  byId("speaker").disabled = speakers.length === 0;
  fillSelect(byId("class"), [["", "all"], ...Object.keys(classes).map((each) => [each, each])], "");
  const known = [...new Set([...state.corpus.gold, ...state.corpus.predicted])];
  byId("phones").replaceChildren(...known.map((phone) => new Option(phone, phone)));
  fillViews();
  draw();
  showPhones(state.corpus);
}

function fillViews() {
  const views = viewsOf(state.corpus, state.speaker);
  if (views.find(([key]) => key === state.view)[2]) state.view = "counts";
  fillSelect(byId("view"), views, state.view);
}

function draw() {
  const view = makeView(state.corpus, state.view, state.speaker);
  const chosen = chosenPlaces(view);
  grid = drawMatrix(byId("matrix"), view, chosen, {
    onFocus: (gold, heard) => tell(view, gold, heard),
    onOpen: (gold, heard) => open(view, gold, heard),
  });
  byId("unit").textContent = legend(view, chosen);
  byId("legend").replaceChildren(...scale(view));
  byId("cell").textContent = "Point at a cell, or move with the arrow keys; Enter shows the utterances behind it.";
  byId("behind").hidden = true;
}

function legend(view, { rows, columns }) {
  const from = view.diverging ? `−${shown(view.limit)} to ${shown(view.limit)}` : `0 to ${shown(view.limit)}`;
  const marks = view.marked?.size ? "; outlined: q below 0.05" : "";
  const sample = state.speaker && state.corpus.sampled ? "; of the sampled utterances only" : "";
  const size = `${rows.length} × ${columns.length}`;
  const root = view.diverging ? "" : "; colour by the square root";
  return `${view.title}: ${view.unit}, ${from}${root}${marks}${sample}. ${size} cells shown.`;
}

function scale(view) {
  const strip = element("span", { class: view.diverging ? "scale both" : "scale" });
  return [view.diverging ? shown(-view.limit) : "0", strip, shown(view.limit)];
}

/** The rows and columns that the filters leave, in the chosen order. */
function chosenPlaces(view) {
  const members = state.class && new Set(state.corpus.classes[state.class]);
  const known = state.corpus.gold.includes(state.phone) || state.corpus.predicted.includes(state.phone);
  const phone = known ? state.phone : "";
  const inClass = (label) => !members || label === GAP || members.has(label);
  const [rows, columns] = [view.rows, view.columns].map((names) => ranked(view, names));
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

function ranked(view, names) {
  const places = names.map((_, place) => place);
  if (state.order === "inventory") return places;
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

function open(view, gold, heard) {
  showUtterances(state.corpus, gold, heard, state.speaker, view.countOf(gold, heard));
}

function closeUtterances() {
  byId("behind").hidden = true;
  grid.refocus();
}
