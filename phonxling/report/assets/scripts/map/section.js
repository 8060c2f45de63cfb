// The map of phones: the reference's phones in circles, those of the chosen corpus placed by what was predicted.

const POINTS = {
  vowel: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
  consonant: "M0 -4.6L4.4 3.4H-4.4Z",
  other: "M-3.5 0H3.5M0 -3.5V3.5",
};
const LONGEST_ON_MAP = 12; // letters of a name
const MAP_EDGE = 30; // pixels for names around the points
const [FLATTEST, TALLEST, HIGHEST] = [0.6, 1.2, 760]; // heights as shares of the width; in pixels

/** Draws the map of a corpus, or hides the section where it has none. */
async function showMap({ phone }, corpus) {
  byId("map-section").hidden = !page.tables[`${corpus.name}/map`];
  if (byId("map-section").hidden) return;
  const reference = page.corpora.find(({ name, role }) => role === "reference" && page.tables[`${name}/map`]) ?? corpus;
  const own = await pointsOf(corpus);
  const others = reference.name === corpus.name ? [] : await pointsOf(reference);
  byId("map-other").hidden = !others.length;
  for (const place of document.querySelectorAll(".of-reference")) place.textContent = reference.title;
  filling(byId("map"), (width) => drawMap(own, others, { width, phone }));
}

/** The phones of a corpus that have a place: { corpus, phone, x, y, spread } and what else the table says. */
async function pointsOf(corpus) {
  const { rows } = await readTable(`${corpus.name}/map`);
  const numbers = (row) => ({ x: number(row.x), y: number(row.y), spread: number(row.spread) || 0 });
  const points = rows.map((row) => ({ ...row, ...numbers(row), corpus }));
  return points.filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
}

function drawMap(own, others, { width, phone }) {
  const every = [...own, ...others];
  const { at, unit, height } = scaledTo(width, every);
  const rims = [...(others.length ? others : own)].sort((one, other) => other.spread - one.spread); // small over large ones
  const circles = rims.map((point) => shape("circle", { cx: at(point).x, cy: at(point).y, r: unit * point.spread }));
  const names = every.map((point) => ({ ...at(point), ...sizeOf(point, others.includes(point)) }));
  const places = placeNames(names, [width, height]);
  const missed = every.filter((_, which) => !places[which]).map((point) => point.phone);
  byId("map-missed").textContent = missed.length ? `Names without room: ${missed.join(" ")}.` : "";
  const chosen = every.find((point) => point.phone === phone);
  const marks = every.map((point, which) => {
    const isOther = others.includes(point);
    return markOf(point, { ...names[which], place: places[which], isOther, isChosen: point === chosen });
  });
  return [height, shape("g", {}, ...circles), shape("g", {}, ...marks)];
}

/** How points become pixels: one unit is as long on both axes, or circles were none. */
function scaledTo(width, points) {
  const edge = (axis, sign) => sign * Math.max(...points.map((point) => sign * point[axis] + point.spread));
  const [left, right, low, high] = [edge("x", -1), edge("x", 1), edge("y", -1), edge("y", 1)];
  const [wide, tall] = [right - left || 1, high - low || 1];
  const height = Math.round(Math.min(HIGHEST, Math.max(FLATTEST, Math.min(TALLEST, tall / wide)) * width));
  const unit = Math.min((width - 2 * MAP_EDGE) / wide, (height - 2 * MAP_EDGE) / tall);
  const at = ({ x, y }) => ({
    x: width / 2 + unit * (x - (left + right) / 2),
    y: height / 2 - unit * (y - (low + high) / 2),
  });
  return { at, unit, height };
}

/** How large the name of a point is, in pixels, and how far above its lower edge its letters stand. */
function sizeOf({ phone }, isOther) {
  pen.font = `${isOther ? "" : "bold "}15px ${getComputedStyle(document.body).getPropertyValue("--ipa")}`;
  const {
    width,
    fontBoundingBoxAscent: up,
    fontBoundingBoxDescent: down,
  } = pen.measureText(cut(phone, LONGEST_ON_MAP));
  return { w: width, h: up + down, down };
}

/** A link with the point of a phone, its name where that has a place, and a line to it where it is far. */
function markOf({ corpus, phone, tokens, distance, nearest_reference: nearest }, { x, y, w, h, down, ...drawn }) {
  const { place, isOther, isChosen } = drawn;
  const isVowel = corpus.phones?.some((row) => row.phone === phone && row.class === "vowels");
  const kind = isOther ? "other" : isVowel ? "vowel" : "consonant";
  const far = number(distance);
  const apart = Number.isNaN(far) ? "" : `, distance ${plain(far)}`;
  const near = nearest ? `; nearest reference phone ${nearest}${apart}` : "";
  const told = `${corpus.title} ${phone}: ${plain(number(tokens))} tokens${near}`;
  const look = { class: `mark ${kind}${number(tokens) < page.few ? " few" : ""}`, "aria-current": isChosen || null };
  const point = shape("path", { class: "point", d: POINTS[kind], transform: `translate(${x} ${y})` });
  if (!place) return shapeLink({ corpus: corpus.name, phone }, told, look, point);
  const [left, top] = place.box;
  const [first, last] = [place.line[0], place.line.at(-1)];
  const leader = first ? shape("path", { class: "leader", d: `M${first}L${last}` }) : null;
  const ground = shape("rect", { class: "ground", x: left, y: top, width: w, height: h });
  const font = { "font-weight": isOther ? null : "bold" };
  const name = shape("text", { x: left, y: top + h - down, ...font }, cut(phone, LONGEST_ON_MAP));
  return shapeLink({ corpus: corpus.name, phone }, told, look, point, leader, ground, name);
}
