// The map of phones: the reference's phones in circles, those of the chosen corpus placed by what was heard.

import { number, page, readTable } from "../data.js";
import { byId, cut, folded, shape, shown } from "../elements.js";

const [WIDTH, HEIGHT, EDGE] = [640, 480, 24];
const LONGEST_LABEL = 12; // letters on the map

export const map = { id: "map", keys: [], show };

/** Draws the map of a corpus, or hides the section where it has none. */
async function show(_, corpus) {
  byId("map-section").hidden = !page.tables[`${corpus.name}/embedding.tsv`];
  if (byId("map-section").hidden) return;
  const reference = page.corpora.find(({ name, role }) => role === "reference" && page.tables[`${name}/embedding.tsv`]);
  const rows = async (name) => (await readTable(`${name}/embedding.tsv`)).rows;
  const base = reference ? await rows(reference.name) : [];
  drawMap(base, corpus.name === reference?.name ? [] : await rows(corpus.name), reference?.title, corpus.title);
}

function drawMap(reference, target, referenceName, targetName) {
  const every = [...reference, ...target];
  const scale = scaled(["x", "y"].map((axis) => every.map((row) => number(row[axis]))));
  const marks = [
    ...reference.map((row) => mark(row, scale, "reference", referenceName)),
    ...target.map((row) => mark(row, scale, "target", targetName)),
  ];
  const map = byId("map");
  map.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  const drawn = shape("g", {}, ...marks); // made anew each time, and its listeners with it
  map.replaceChildren(drawn);
  marks[0]?.setAttribute("tabindex", "0");
  const tell = ({ target: found }) => {
    const own = found.closest("g[data-told]");
    if (own) byId("map-told").replaceChildren(folded(own.dataset.told));
  };
  drawn.addEventListener("mouseover", tell);
  drawn.addEventListener("focusin", tell);
  drawn.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = marks.indexOf(event.target);
    if (!step || at < 0) return;
    event.preventDefault();
    marks[at].setAttribute("tabindex", "-1");
    const next = marks[(at + step + marks.length) % marks.length];
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

/** Returns how x, y and lengths are drawn: one unit is as long on both axes, or circles were none. */
function scaled(axes) {
  const [wide, high] = axes.map((values) => Math.max(...values) - Math.min(...values));
  const [left, low] = axes.map((values) => (Math.max(...values) + Math.min(...values)) / 2);
  const unit = Math.min((WIDTH - 2 * EDGE) / (wide || 1), (HEIGHT - 2 * EDGE) / (high || 1));
  return [
    (value) => WIDTH / 2 + unit * (value - left),
    (value) => HEIGHT / 2 - unit * (value - low),
    (value) => unit * value,
  ];
}

function mark(row, [x, y, length], kind, corpus) {
  const near = row.nearest_reference ? `; nearest ${row.nearest_reference}` : "";
  const far = row.nearest_reference ? `, distance ${shown(number(row.distance))}` : "";
  const told = `${corpus} ${row.phone}: ${shown(number(row.tokens))} tokens${near}${far}`;
  const place = { transform: `translate(${x(number(row.x)).toFixed(1)} ${y(number(row.y)).toFixed(1)})` };
  const made = shape("g", {
    ...place,
    class: kind,
    tabindex: "-1",
    role: "img",
    "aria-label": told,
    "data-told": told,
  });
  if (kind === "reference" && row.spread) made.append(shape("circle", { r: length(number(row.spread)).toFixed(1) }));
  made.append(
    shape("text", { "text-anchor": "middle", "dominant-baseline": "central" }, cut(row.phone, LONGEST_LABEL)),
  );
  return made;
}
