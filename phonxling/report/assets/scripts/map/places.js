// Places for labels beside their points: on the map, over no other label and no dot, and, where there is room, over no
// circle; a label that stands off its point has a line to it, and lines keep off labels and off each other.

const ANGLES = Array.from({ length: 24 }, (_, step) => (step * Math.PI) / 12);
const GAPS = [6, 9, 13, 18, 25, 33, 42, 53, 66, 82, 100, 122, 148]; // from a point to the edge of its label, in pixels
const MARGIN = 1.5; // around a label
const DOT = 5.5; // half the side of the square that is kept free around a point
const [ON_RIM, ON_LINE, LINE_OVER_LINE, LINE_OVER_DOT, LINE_OVER_LABEL] = [60, 25, 60, 30, 400]; // what each costs, in pixels
const PASSES = 4; // over all labels, each time with all others in place

const FAR = 11; // a label farther from its point has a line to it

/**
 * A place for each label { x, y, w, h } of a point, the first labels first: { box: [left, top, right, bottom], line } or
 * null where none is free. `circles` are { x, y, r }, which labels keep off, as off `lines`; `size` is [width, height].
 */
function placeLabels(labels, circles, size, lines = []) {
  const places = labels.map(() => null);
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [own, label] of labels.entries()) {
      const others = places.filter((place, which) => place && which !== own);
      const surroundings = { others, dots: labels, circles, size, lines };
      const isSettled = places[own] && costOf(places[own], label, surroundings) === 0;
      if (!isSettled) places[own] = bestPlace(label, surroundings);
    }
  }
  return places;
}

function bestPlace(label, surroundings) {
  let best = null;
  for (const gap of GAPS) {
    for (const angle of ANGLES) {
      if (best && gap >= best.cost) return best;
      const place = placeAt(label, gap, angle);
      if (!isFree(place.box, surroundings)) continue;
      place.cost = gap + costOf(place, label, surroundings);
      if (!best || place.cost < best.cost) best = place;
    }
  }
  return best;
}

/** The box of a label in a direction from its point, so far from it, and the line between them. */
function placeAt({ x, y, w, h }, gap, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const reach = Math.min(w / 2 / Math.abs(cos), h / 2 / Math.abs(sin)); // from a box's middle to its edge
  const [middleX, middleY] = [x + cos * (reach + gap), y + sin * (reach + gap)];
  const box = [middleX - w / 2, middleY - h / 2, middleX + w / 2, middleY + h / 2];
  const end = [clamp(x, box[0], box[2]), clamp(y, box[1], box[3])];
  return { box, line: Math.hypot(end[0] - x, end[1] - y) >= FAR ? [...end, x, y] : null };
}

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/** Whether a box is on the map, off the other labels and off all points. */
function isFree(box, { others, dots, size }) {
  if (box[0] < 1 || box[1] < 1 || box[2] > size[0] - 1 || box[3] > size[1] - 1) return false;
  if (others.some((other) => overlap(box, other.box, MARGIN))) return false;
  return dots.every((dot) => !overlap(box, around(dot)));
}

const overlap = (one, other, margin = 0) =>
  one[0] - margin < other[2] && one[2] + margin > other[0] && one[1] - margin < other[3] && one[3] + margin > other[1];

const distance = ({ x, y }, box) => Math.hypot(x - clamp(x, box[0], box[2]), y - clamp(y, box[1], box[3]));

function costOf({ box, line }, label, { others, dots, circles, lines }) {
  let cost = ON_RIM * circles.filter((circle) => isOnRim(box, circle)).length;
  cost += ON_LINE * lines.filter((each) => meets(each, box)).length;
  for (const other of others) {
    if (other.line && meets(other.line, box)) cost += LINE_OVER_LABEL;
    if (line && meets(line, other.box)) cost += LINE_OVER_LABEL;
    if (line && other.line && cross(line, other.line)) cost += LINE_OVER_LINE;
  }
  if (!line) return cost;
  const touched = dots.filter((dot) => dot !== label && meets(line, around(dot)));
  return cost + LINE_OVER_DOT * touched.length;
}

/** Whether the rim of a circle runs through a box. */
function isOnRim(box, { x, y, r }) {
  const farX = Math.max(Math.abs(x - box[0]), Math.abs(x - box[2]));
  const farY = Math.max(Math.abs(y - box[1]), Math.abs(y - box[3]));
  return r > distance({ x, y }, box) && r < Math.hypot(farX, farY);
}

const around = ({ x, y, dot = DOT }) => [x - dot, y - dot, x + dot, y + dot];

/** Whether a line runs through a box, or begins in it. */
function meets(line, [left, top, right, bottom]) {
  const isInside = line[0] > left && line[0] < right && line[1] > top && line[1] < bottom;
  return isInside || cross(line, [left, top, right, bottom]) || cross(line, [left, bottom, right, top]);
}

function cross([ax, ay, bx, by], [cx, cy, dx, dy]) {
  const side = (x, y, [px, py, qx, qy]) => Math.sign((qx - px) * (y - py) - (qy - py) * (x - px));
  const [one, other] = [
    [ax, ay, bx, by],
    [cx, cy, dx, dy],
  ];
  return side(ax, ay, other) * side(bx, by, other) < 0 && side(cx, cy, one) * side(dx, dy, one) < 0;
}

modules["map/places"] = { placeLabels };
