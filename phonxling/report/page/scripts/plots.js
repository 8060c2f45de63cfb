// Drawings: the map of phones, and corpora side by side with their intervals.

import { number, page, readTable } from "./data.js";
import { byId, cut, element, fillSelect, folded, shape, shown, withInterval } from "./elements.js";

const [WIDTH, HEIGHT, EDGE] = [640, 480, 24];
const LONGEST_LABEL = 12; // letters on the map

/** Fills the map's controls, or hides the section where no corpus has one. */
export async function startMap() {
  const placed = page.corpora.filter(({ name }) => page.tables[`${name}/embedding.tsv`]);
  byId("map-section").hidden = placed.length === 0;
  if (!placed.length) return;
  const reference = placed.find(({ role }) => role === "reference");
  const targets = placed.filter((corpus) => corpus !== reference);
  const options = (targets.length ? targets : placed).map(({ name }) => [name, name]);
  fillSelect(byId("map-corpus"), options, options[0][0]);
  const base = reference ? (await readTable(`${reference.name}/embedding.tsv`)).rows : [];
  const draw = async () => {
    const name = byId("map-corpus").value;
    drawMap(
      base,
      name === reference?.name ? [] : (await readTable(`${name}/embedding.tsv`)).rows,
      reference?.name,
      name,
    );
  };
  byId("map-corpus").oninput = draw;
  await draw();
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

/** Corpora side by side: a measure's values with their intervals, and the level of chance where there is one. */
export async function startRanking() {
  const { rows } = await readTable("summary.tsv");
  const several = byId("ranking-section");
  several.hidden = page.corpora.length < 2;
  if (several.hidden) return;
  const key = (row) => [row.measure, row.variant].filter(Boolean).join(" ");
  const numbers = rows.filter((row) => row.value !== "" && row.corpus);
  const wanted = [...new Set(numbers.map(key))].filter((name) => numbers.filter((row) => key(row) === name).length > 1);
  fillSelect(
    byId("measure"),
    wanted.map((name) => [name, name]),
    wanted.includes("wper") ? "wper" : wanted[0],
  );
  const draw = () =>
    drawRanking(
      numbers,
      numbers.filter((row) => key(row) === byId("measure").value),
    );
  byId("measure").oninput = draw;
  draw();
}

function drawRanking(every, rows) {
  const lines = rows
    .map((row) => ({
      corpus: row.corpus,
      value: number(row.value),
      low: number(row.low),
      high: number(row.high),
      unit: row.unit,
      chance: chanceOf(every, row),
    }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((a, b) => a.value - b.value);
  const ends = lines.flatMap(({ value, low, high, chance }) => [0, value, low, high, chance]);
  const limits = ends.filter(Number.isFinite);
  const [least, most] = [Math.min(...limits), Math.max(...limits)];
  const share = (value) => `${most > least ? (100 * (value - least)) / (most - least) : 50}%`;
  byId("ranking").replaceChildren(...lines.map((line) => rankingRow(line, share)));
}

const chanceOf = (every, { corpus, measure, variant }) => {
  const found = every.find(
    (row) => row.corpus === corpus && row.measure === `chance_${measure}` && row.variant === "best",
  );
  return found && !variant ? number(found.value) : NaN;
};

function rankingRow({ corpus, value, low, high, chance, unit }, share) {
  const strip = element("span", { class: "strip", "aria-hidden": "true" });
  const put = (name, at, to) => {
    const made = element("span", { class: name });
    made.style.setProperty("--at", at);
    if (to) made.style.setProperty("--to", to);
    strip.append(made);
  };
  if (!Number.isNaN(low)) put("range", share(low), share(high));
  if (!Number.isNaN(chance)) put("chance", share(chance));
  put("dot", share(value));
  const told = [withInterval(value, low, high), unit, Number.isNaN(chance) ? "" : `chance ${shown(chance)}`];
  return element("li", {}, element("b", {}, corpus), strip, element("span", {}, told.filter(Boolean).join(", ")));
}
