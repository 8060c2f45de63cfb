// What the map shows of a phone: its point, its name, and a link to what the page says of it.

const { addressOf } = modules.address;
const { number, page } = modules.data;
const { cut, shape, shown } = modules.elements;

const LONGEST_LABEL = 12; // letters
const FEW = page.few; // tokens
const POINTS = { vowel: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", consonant: "M0 -4.6L4.4 3.4H-4.4Z" };
const CROSS = "M-3.5 0H3.5M0 -3.5V3.5"; // of a reference phone on another corpus' map

/** The rows of a table of the map that have a place: { phone, corpus, x, y, spread, row }. */
function placed(corpus, rows) {
  const points = rows.map((row) => ({
    corpus,
    row,
    phone: row.phone,
    x: number(row.x),
    y: number(row.y),
    spread: number(row.spread) || 0,
  }));
  return points.filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y));
}

/** The mark of a point at [x, y]: a link with its point and its name, and no line to the name yet. */
function markOf(point, [x, y], isCircle) {
  const kind = isVowel(point) ? "vowel" : "consonant";
  const few = number(point.row.tokens) < FEW ? " few" : "";
  const name = shape("text", {}, cut(point.phone, LONGEST_LABEL));
  const parts = [
    shape("line", { class: "leader" }),
    shape("path", { class: "point", d: isCircle ? CROSS : POINTS[kind], transform: `translate(${x} ${y})` }),
    shape("rect", { class: "ground" }),
    name,
  ];
  const href = addressOf({ corpus: point.corpus.name, phone: point.phone });
  const kinds = `mark ${isCircle ? "other" : kind}${few}`;
  const told = toldOf(point);
  const link = shape("a", { href, class: kinds, tabindex: "-1", "aria-label": told, "data-told": told }, ...parts);
  return { link, name, point, x, y };
}

function isVowel({ corpus, phone }) {
  return page.corpora.find(({ name }) => name === corpus.name).classes.vowels?.includes(phone) ?? false;
}

function toldOf({ corpus, phone, row }) {
  const distance = Number.isNaN(number(row.distance)) ? "" : `, distance ${shown(number(row.distance))}`;
  const near = row.nearest_reference ? `; nearest reference phone ${row.nearest_reference}${distance}` : "";
  return `${corpus.title} ${phone}: ${shown(number(row.tokens))} tokens${near}`;
}

/** Puts a mark's name where its place is, with a line to its point; a name without a place is not shown. */
function putName({ link, name, w, h, dx, dy }, place) {
  name.toggleAttribute("hidden", !place);
  if (!place) return;
  const [left, top] = place.box.map((value) => Math.round(value * 10) / 10);
  name.setAttribute("transform", `translate(${left - dx} ${top - dy})`);
  for (const [key, value] of Object.entries({ x: left, y: top, width: w, height: h })) {
    link.querySelector(".ground").setAttribute(key, value);
  }
  if (!place.line) return;
  for (const [which, key] of ["x1", "y1", "x2", "y2"].entries()) {
    link.querySelector(".leader").setAttribute(key, place.line[which].toFixed(1));
  }
}

/** Measures a mark's name, which must be on the page by now. */
function measured(mark) {
  const { x, y, width, height } = mark.name.getBBox();
  return Object.assign(mark, { w: width, h: height, dx: x, dy: y });
}

modules["map/marks"] = { markOf, measured, placed, putName };
