// The confusion matrix: one corpus, or two beside each other; the cell in focus, and the utterances behind one.

const { addressOf, change } = modules.address;
const { openCorpus } = modules.corpus;
const { GAP, number, page, readTable } = modules.data;
const { byId, folded, shown } = modules.elements;
const { pictureLink } = modules["pictures/phones"];
const { rounded } = modules.rounding;
const { hideEvidence, showEvidence } = modules["utterances/evidence"];
const { choiceOf, fillControls, KEYS } = modules["matrix/choice"];
const { drawMatrix, told } = modules["matrix/grid"];
const { showKind } = modules["matrix/kinds"];
const { sentences, strip } = modules["matrix/legend"];
const { viewsFor } = modules["matrix/model"];
const { placesOf } = modules["matrix/places"];

const TABLES = ["matrix", "matrix-other"];
let drawn = { key: "" };
let opening = false; // a cell was opened just now: its title takes the focus

const matrix = { id: "matrix", keys: [...KEYS, "gold", "heard", "from", "errors"], show, place, heading };

/** Shows the matrix of a state, and the utterances behind its cell. */
async function show(state, corpus) {
  const key = JSON.stringify([corpus.name, ...KEYS.map((name) => state[name] ?? "")]);
  if (key !== drawn.key) drawn = { ...draw(state, await chosenIn(state, corpus)), key };
  open(state);
  if (byId("kind")) await showKind(state, corpus);
}

async function chosenIn(state, corpus) {
  const other = page.corpora.find(({ name }) => name === state.other && name !== corpus.name);
  const tests = (await readTable("confusions")).rows; // of a comparison
  return choiceOf(state, corpus, other ? await openCorpus(other.name) : null, tests);
}

const narrow = () => matchMedia("(max-width: 900px)").matches;

/** Where a state leads: to the utterances behind a cell where they are below the matrix, else to the matrix. */
function place(state) {
  if (narrow() && state.errors && !byId("kind").hidden) return byId("kind");
  return byId(state.gold && state.heard && narrow() ? "behind" : "matrix-section");
}

/** The title that takes the focus there. */
function heading(state) {
  return state.gold && state.heard && !byId("behind").hidden ? "behind-title" : "matrix-title";
}

function draw(state, chosen) {
  fillControls(state, chosen);
  const views = viewsFor(chosen);
  const limit = Math.max(...views.map((view) => view.limit));
  for (const view of views) view.limit = limit;
  const places = placesOf(chosen, views, page.orders);
  const grids = views.map((view, at) => drawGrid(chosen, view, places, TABLES[at]));
  byId("matrix-place").style.setProperty("--columns", places.columns.length);
  byId("grid-other").hidden = views.length === 1;
  byId("matrix-name").textContent = chosen.other ? nameOf(views[0]) : "";
  byId("matrix-other-name").textContent = views[1] ? nameOf(views[1]) : "";
  byId("unit").textContent = sentences(chosen, views).join(" ");
  byId("legend").replaceChildren(...strip(views[0]));
  byId("cell").textContent = "Point at a cell, or move with the arrow keys; Enter shows the utterances behind it.";
  pictureLink("confusions", chosen.corpus);
  byId("behind-close").onclick = close;
  byId("beside").onkeydown = ({ key }) => key === "Escape" && close();
  return { chosen, views, grids };
}

const nameOf = ({ corpora }) => corpora.map(({ title }) => title).join(" less ");

function drawGrid(chosen, view, places, id) {
  return drawMatrix(byId(id), view, places, {
    onFocus: (row, column) => tell(view, row, column),
    onOpen: (row, column) => {
      opening = true;
      const cell = { gold: view.rows[row], heard: view.columns[column] };
      const from = view.corpora[0].name === chosen.corpus.name ? "" : view.corpora[0].name;
      change({ ...cell, from }, { step: true, arrive: narrow() });
    },
  });
}

/** Opens the cell of a state, or none. */
function open(state) {
  const { chosen, views, grids } = drawn;
  const from = chosen.other && state.from === chosen.other.name ? chosen.other : chosen.corpus;
  const at = Math.max(
    0,
    views.findIndex(({ corpora }) => corpora[0] === from),
  );
  const groups = [views[at].rows, views[at].columns];
  const [row, column] = groups.map((own, side) => own.indexOf([state.gold, state.heard][side]));
  grids.forEach((grid, place) => {
    grid.select(place === at ? row : -1, column);
  });
  drawn.at = at;
  if (row >= 0 && column >= 0) showEvidence(wanted(state, from, { view: views[at], row, column }));
  else if (isPair(state, from)) showUnseen(state, from, views[at]);
  else hideEvidence();
  if (opening && !byId("behind").hidden) byId("behind-title").focus({ preventScroll: true });
  opening = false;
}

/** Whether an address names a gold and a heard phone of the corpus, be there a cell of the view or not. */
function isPair({ gold, heard }, corpus) {
  return [...corpus.gold, GAP].includes(gold) && [...corpus.predicted, GAP].includes(heard);
}

/** Shows what is behind a pair of phones that the view has no cell for. */
function showUnseen({ gold, heard }, corpus, view) {
  const { conditions, diagonal } = drawn.chosen;
  showEvidence({ corpus, gold, heard, conditions, diagonal, count: null, links: [] });
  const pair = ["gold ", folded(gold), " predicted as ", folded(heard)];
  byId("cell").replaceChildren(`“${view.title}” has no cell of `, ...pair, "; its utterances are shown all the same.");
}

function wanted(state, from, { view, row, column }) {
  const { chosen } = drawn;
  const both = chosen.other ? [chosen.corpus, chosen.other] : [];
  const count = (view.parts ?? [view]).find(({ corpora }) => corpora[0] === from).counts[
    row * view.columns.length + column
  ];
  return {
    corpus: from,
    gold: view.rows[row],
    heard: view.columns[column],
    conditions: chosen.conditions,
    diagonal: chosen.diagonal,
    count,
    links: both.map(({ name, title }) => [
      title,
      addressOf({ ...state, from: name === chosen.corpus.name ? "" : name }),
      name === from.name,
    ]),
  };
}

function close() {
  change({ gold: "", heard: "", from: "" }, { step: true });
  drawn.grids[drawn.at ?? 0].refocus();
}

/** Tells of a cell: its tokens, its value, and what else the view's table says of it. */
function tell(view, row, column) {
  const [gold, heard] = [view.rows[row], view.columns[column]];
  const place = row * view.columns.length + column;
  const names = ["Gold ", folded(gold), " predicted as ", folded(heard)];
  byId("cell").replaceChildren(...names, `: ${tokensOf(view, place)}${valuesOf(view, gold, heard, place)}`);
}

function tokensOf(view, place) {
  if (!view.parts) return `${shown(view.counts[place])} tokens`;
  return view.parts.map(({ counts, corpora }) => `${corpora[0].title} ${shown(counts[place])} tokens`).join(", ");
}

function valuesOf(view, gold, heard, place) {
  if (view.hidden.has(place)) return ", left out";
  if (view.key === "counts") return "";
  const value = `, ${view.title} ${told(view.values[place])}`;
  if (view.parts) return `${value} (${view.parts.map(({ values }) => told(values[place])).join(" less ")})`;
  const ofCell = (line) => line.gold === gold && line.predicted === heard;
  const line = view.q && view.corpora[0][view.table].find(ofCell);
  if (!line || line.q === "") return value;
  const [excess, low, high, q] = ["residual", "low", "high", "q"].map((name) => number(line[name]));
  return `, ${view.title} ${rounded(excess, low, high)}, ${q < 0.001 ? "q < 0.001" : `q = ${told(q)}`}`;
}

modules["matrix/section"] = { matrix };
