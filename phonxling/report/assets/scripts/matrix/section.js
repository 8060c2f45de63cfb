// The confusion matrix: one corpus, or two beside each other; the cell in focus, and the utterances behind one.

const FIELDS = ["view", "other", "speaker", "partners"];
let drawnMatrix = { key: "" };
let opening = false; // a cell was opened just now: its title takes the focus

/** Shows the matrix of a state, and the utterances behind its cell. */
async function showMatrix(state, corpus) {
  const key = keyOf(corpus, FIELDS, state);
  if (key !== drawnMatrix.key) drawnMatrix = { ...drawChoice(state, await choiceOf(state, corpus)), key };
  openCell(state);
  await showKind(state, corpus);
}

/** The choice that a state makes, for a corpus and perhaps a second one; what there is not is not chosen. */
async function choiceOf(state, corpus) {
  const { speaker = "" } = state;
  const beside = page.corpora.find(({ name }) => name === state.other && name !== corpus.name);
  const other = beside ? await openCorpus(beside.name) : null;
  const views = viewsOf(other ? [corpus, other] : [corpus], speaker);
  const view = views.some(([key, , none]) => key === state.view && !none) ? state.view : "probability";
  const partners = [...corpus.gold, ...corpus.predicted].includes(state.partners) ? state.partners : "";
  const tests = (await readTable("confusions")).rows; // of a comparison
  return { corpus, other, views, view, speaker, partners, tests };
}

/** Fills the controls; each changes the address. */
function fillMatrixControls({ partners = "" }, { corpus, other, views, speaker, view }) {
  const others = page.corpora.filter(({ name }) => name !== corpus.name).map(({ name, title }) => [name, title]);
  fillSelect(byId("view"), views, view);
  fillSelect(byId("other"), [["", "no other corpus"], ...others], other?.name ?? "");
  fillSpeakers(byId("speaker"), corpus, speaker);
  byId("other").disabled = others.length === 0;
  if (byId("partners").value !== partners) byId("partners").value = partners;
  const phones = [...new Set([...corpus.gold, ...corpus.predicted])];
  byId("phones").replaceChildren(...phones.map((phone) => new Option(phone, phone)));
  for (const name of FIELDS) byId(name).oninput = ({ target }) => change({ [name]: target.value });
}

const narrow = () => matchMedia("(max-width: 900px)").matches;

/** Where a state leads: to the utterances behind a cell where they are below the matrix, else to the matrix. */
function placeOfCell(state) {
  if (narrow() && state.errors && !byId("kind").hidden) return byId("kind");
  return byId(state.gold && state.predicted && narrow() ? "behind" : "matrix-section");
}

/** The title that takes the focus there. */
function headingOfCell(state) {
  return state.gold && state.predicted && !byId("behind").hidden ? "behind-title" : "matrix-title";
}

function drawChoice(state, chosen) {
  fillMatrixControls(state, chosen);
  const views = viewsFor(chosen);
  const limit = Math.max(...views.map((view) => view.limit));
  for (const view of views) view.limit = limit;
  const places = shownPlaces(chosen, views);
  const grids = views.map((view, at) => drawGrid(chosen, view, places, ["matrix", "matrix-other"][at]));
  byId("matrix-place").style.setProperty("--columns", places.columns.length);
  byId("matrix-place").style.setProperty("--grids", views.length);
  byId("grid-other").hidden = views.length === 1;
  byId("matrix-name").textContent = chosen.other ? viewName(views[0]) : "";
  byId("matrix-other-name").textContent = views[1] ? viewName(views[1]) : "";
  byId("unit").textContent = sentences(chosen, views).join(" ");
  byId("legend").replaceChildren(...strip(views[0]));
  byId("cell").textContent = "Point at a cell, or move with the arrow keys; Enter shows the utterances behind it.";
  byId("behind-close").onclick = closeCell;
  byId("beside").onkeydown = ({ key }) => key === "Escape" && closeCell();
  return { chosen, views, grids };
}

const viewName = ({ corpora }) => corpora.map(({ title }) => title).join(" less ");

function drawGrid(chosen, view, places, id) {
  return drawMatrix(byId(id), view, places, (row, column) => {
    opening = true;
    const cell = { gold: view.rows[row], predicted: view.columns[column] };
    const from = view.corpora[0].name === chosen.corpus.name ? "" : view.corpora[0].name;
    change({ ...cell, from }, { step: true, arrive: narrow() });
  });
}

/** Opens the cell of a state, or none; says so where the view has no cell of its phones. */
function openCell(state) {
  const { chosen, views, grids } = drawnMatrix;
  const from = chosen.other && state.from === chosen.other.name ? chosen.other : chosen.corpus;
  const view = views.find(({ corpora }) => corpora[0] === from) ?? views[0];
  const [row, column] = [view.rows.indexOf(state.gold), view.columns.indexOf(state.predicted)];
  for (const [at, grid] of grids.entries()) grid.select(views[at] === view ? row : -1, column);
  drawnMatrix.refocus = grids[views.indexOf(view)].refocus;
  const isCell = row >= 0 && column >= 0;
  const isPair = [...from.gold, GAP].includes(state.gold) && [...from.predicted, GAP].includes(state.predicted);
  if (isCell || isPair) showEvidence(state, from, chosen, isCell ? countIn(view, from, row, column) : null);
  else byId("behind").hidden = true;
  if (isPair && !isCell)
    byId("cell").replaceChildren(
      `“${view.title}” has no cell of gold `,
      ...pairNames(state.gold, state.predicted),
      "; its utterances are shown all the same.",
    );
  if (opening && !byId("behind").hidden) byId("behind-title").focus({ preventScroll: true });
  opening = false;
}

function pairNames(...pair) {
  const [gold, predicted] = pair.map((phone) => element("span", { class: "ipa" }, phone));
  return [gold, " predicted as ", predicted];
}

const countIn = (view, from, row, column) =>
  (view.parts ?? [view]).find(({ corpora }) => corpora[0] === from).counts[row * view.columns.length + column];

function closeCell() {
  change({ gold: "", predicted: "", from: "" }, { step: true });
  drawnMatrix.refocus();
}

/** Tells of a cell: its tokens, its value, and what else the view's table says of it. */
function tellCell(view, row, column) {
  const [gold, predicted] = [view.rows[row], view.columns[column]];
  const place = row * view.columns.length + column;
  byId("cell").replaceChildren(
    "Gold ",
    ...pairNames(gold, predicted),
    `: ${tokensOf(view, place)}${valuesOf(view, gold, predicted, place)}`,
  );
}

function tokensOf(view, place) {
  if (!view.parts) return plural(view.counts[place], "token");
  return view.parts.map(({ counts, corpora }) => `${corpora[0].title} ${plural(counts[place], "token")}`).join(", ");
}

function valuesOf(view, gold, predicted, place) {
  if (view.key === "counts") return "";
  const value = `, ${view.title} ${plain(view.values[place])}`;
  if (view.parts) return `${value} (${view.parts.map(({ values }) => plain(values[place])).join(" less ")})`;
  const ofCell = (line) => line.gold === gold && line.predicted === predicted;
  const line = view.q && view.corpora[0][view.table[0]].find(ofCell);
  if (!line || line.q === "") return value;
  const [excess, low, high, q] = ["residual", "low", "high", "q"].map((name) => number(line[name]));
  return `, ${view.title} ${rounded(excess, low, high)}, ${q < 0.001 ? "q < 0.001" : `q = ${plain(q)}`}`;
}
