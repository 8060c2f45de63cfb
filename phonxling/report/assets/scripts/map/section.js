// The map of phones: the reference's phones in circles, those of the chosen corpus placed by what was heard.

const { number, page, readTable } = modules.data;
const { byId, element, folded, shape, shown } = modules.elements;
const { pictureLink } = modules["pictures/phones"];
const { markOf, measured, placed, putName } = modules["map/marks"];
const { placeLabels } = modules["map/places"];
const { scaledTo } = modules["map/scale"];

const METHODS = {
  umap: "UMAP keeps neighbourhoods: which phones lie side by side. Far apart and farther apart mean little.",
  pca: "Two principal components: distances are kept as far as two axes can.",
};
const TRUST = {
  trustworthiness: "trustworthiness",
  distance_correlation: "rank correlation with the original distances",
};
let redraw = () => {};
let width = 0;
let read = { key: "", sides: [] };
let drawn = { key: "", marks: [] };

const map = { id: "map", keys: ["phone"], show };

addEventListener("resize", () => redraw());

/** Draws the map of a corpus, or hides the section, and what leads to it, where it has none. */
async function show(state, corpus) {
  const hasMap = Boolean(page.tables[`${corpus.name}/map`]);
  byId("map-section").hidden = !hasMap;
  for (const link of document.querySelectorAll('a[href="#map-section"]')) link.hidden = !hasMap;
  redraw = () => {};
  if (!hasMap) return;
  pictureLink("map", corpus);
  const key = corpus.name;
  if (read.key !== key) read = { key, sides: await readSides(corpus) };
  redraw = () => {
    if (drawn.key !== key || widthNow() !== width) drawn = { key, marks: draw(...read.sides) };
    choose(drawn.marks, state.phone);
  };
  redraw();
}

/** The points of a corpus and those of its reference; says what they are. */
async function readSides(corpus) {
  const reference = page.corpora.find(({ name, role }) => role === "reference" && page.tables[`${name}/map`]);
  const rowsOf = async ({ name }) => (await readTable(`${name}/map`)).rows;
  const own = await rowsOf(corpus);
  const circles = reference && reference.name !== corpus.name ? await rowsOf(reference) : [];
  const sides = [placed(corpus, own), placed(reference, circles)];
  await explain(corpus, sides[1].length ? reference : null);
  return sides;
}

const widthNow = () => Math.round(byId("map").getBoundingClientRect().width);

/** Says what the marks are, what the method keeps, and how faithful the map is. */
async function explain(corpus, reference) {
  byId("map-other").hidden = !reference;
  for (const place of document.querySelectorAll(".of-reference")) place.textContent = (reference ?? corpus).title;
  const rows = (await readTable("summary")).rows.filter((row) => row.corpus === corpus.name);
  const trusted = rows.filter((row) => TRUST[row.measure] && row.value !== "");
  const links = trusted.flatMap(({ measure, value }, place) => [
    place ? ", " : " ",
    element("a", { href: `#def-${measure}` }, TRUST[measure]),
    ` ${shown(number(value), 2)}`,
  ]);
  byId("map-trust").replaceChildren(
    METHODS[page.map_method],
    ...(links.length ? [" Of this map:", ...links, "."] : []),
  );
}

/** Draws the points of a corpus and those of its reference, and returns their marks. */
function draw(own, others) {
  const svg = byId("map");
  width = widthNow();
  const { at, unit, height } = scaledTo(width, [...own, ...others]);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const withCircles = others.length ? others : own;
  const circles = withCircles.map((point) => ({ ...at(point), r: unit * point.spread, point }));
  const marks = [own, others].flatMap((side) =>
    side.map((point) => markOf(point, Object.values(at(point)), side === others)),
  );
  const rims = [...circles]
    .sort((one, other) => other.r - one.r) // small ones over large ones
    .map(({ x, y, r }) => shape("circle", { cx: x, cy: y, r: r.toFixed(1) }));
  const links = shape("g", {}, ...marks.map(({ link }) => link)); // made anew each time, and its listeners with it
  svg.replaceChildren(shape("g", {}, ...rims), links);
  marks.forEach(measured);
  const places = placeLabels(marks, circles, [width, height]);
  for (const [which, mark] of marks.entries()) putName(mark, places[which]);
  const missed = marks.filter((_, which) => !places[which]).map(({ point }) => point.phone);
  byId("map-missed").textContent = missed.length ? `Names without room: ${missed.join(" ")}.` : "";
  listen(links, marks);
  return marks;
}

/** Marks the chosen phone, of the corpus or else of the reference, and puts it alone in the order of tabs. */
function choose(marks, phone) {
  for (const { link } of marks) {
    link.removeAttribute("aria-current");
    link.setAttribute("tabindex", "-1");
  }
  const found = marks.find(({ point }) => point.phone === phone);
  found?.link.setAttribute("aria-current", "true");
  found?.link.parentNode.append(found.link); // over the others
  (found ?? marks[0])?.link.setAttribute("tabindex", "0");
  tell(found?.link.dataset.told ?? "Point at a phone, or move with the arrow keys; a click or Enter opens it.");
}

const tell = (text) => byId("map-told").replaceChildren(folded(text));

function listen(group, marks) {
  const links = marks.map(({ link }) => link);
  const told = ({ target }) => target.closest("a") && tell(target.closest("a").dataset.told);
  group.addEventListener("mouseover", told);
  group.addEventListener("focusin", told);
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = links.indexOf(event.target);
    if (!step || at < 0) return;
    event.preventDefault();
    links[at].setAttribute("tabindex", "-1");
    const next = links[(at + step + links.length) % links.length];
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

modules["map/section"] = { map };
