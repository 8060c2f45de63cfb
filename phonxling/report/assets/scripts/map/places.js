// Places for names beside their points: in the picture, over no other name and no point; a name that stands off its
// point has a line to it, which keeps off other names.

const ANGLES = Array.from({ length: 24 }, (_, step) => (step * Math.PI) / 12);
const GAPS = [6, 9, 13, 18, 25, 33, 42, 53, 66, 82, 100, 122, 148]; // pixels from a point to the edge of its name
const [POINT, FAR] = [5.5, 11]; // pixels: half the side of what is kept free around a point; from where on a line leads to it
const [CROSSED, NEVER] = [60, 10_000]; // what a line over a name costs, in pixels of distance, and what must not be

/** A place for each name { x, y, w, h } of a point in a picture of a size: { box, line }, or null where none is free. */
function placeNames(names, [width, height]) {
  const points = names.map(({ x, y }) => [x - POINT, y - POINT, x + POINT, y + POINT]);
  const taken = [];
  const cost = ({ box, line, gap }) => {
    const isOut = box[0] < 1 || box[1] < 1 || box[2] > width - 1 || box[3] > height - 1;
    const isOn = [...points, ...taken.map((one) => one.box)].some((other) => overlap(box, other));
    const crossed = taken.filter((one) => isOnLine(line, one.box) || isOnLine(one.line, box)).length;
    return gap + CROSSED * crossed + (isOut || isOn ? NEVER : 0);
  };
  return names.map((name) => {
    const best = cheapest(
      GAPS.flatMap((gap) => ANGLES.map((angle) => placeAt(name, gap, angle))),
      cost,
    );
    if (cost(best) >= NEVER) return null;
    taken.push(best);
    return best;
  });
}

/** The box of a name in a direction from its point, so far from it, and points of the line between them. */
function placeAt({ x, y, w, h }, gap, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const reach = Math.min(w / 2 / Math.abs(cos), h / 2 / Math.abs(sin)); // from a box's middle to its edge
  const [middleX, middleY] = [x + cos * (reach + gap), y + sin * (reach + gap)];
  const box = [middleX - w / 2, middleY - h / 2, middleX + w / 2, middleY + h / 2];
  const steps = gap < FAR ? [] : [0, 0.25, 0.5, 0.75, 1];
  return { box, gap, line: steps.map((step) => [x + cos * gap * step, y + sin * gap * step]) };
}

const overlap = (one, other) =>
  one[0] - 1 < other[2] && one[2] + 1 > other[0] && one[1] - 1 < other[3] && one[3] + 1 > other[1];

const isOnLine = (line, box) => line.some(([x, y]) => x > box[0] && x < box[2] && y > box[1] && y < box[3]);
