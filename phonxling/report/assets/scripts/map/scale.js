// How the map's units become pixels: one unit is as long on both axes, or circles were none.

const EDGE = 30; // pixels for names around the points
const [FLATTEST, TALLEST] = [0.6, 1.2]; // heights, as shares of the width
const HIGHEST = 760; // pixels, so that the map is seen at once

/** What draws points { x, y, spread } in a width: { at(point) → { x, y }, unit, height }. */
function scaledTo(width, points) {
  const [left, right, low, high] = [
    Math.min(...points.map(({ x, spread }) => x - spread)),
    Math.max(...points.map(({ x, spread }) => x + spread)),
    Math.min(...points.map(({ y, spread }) => y - spread)),
    Math.max(...points.map(({ y, spread }) => y + spread)),
  ];
  const [wide, tall] = [right - left || 1, high - low || 1];
  const share = Math.max(FLATTEST, Math.min(TALLEST, tall / wide));
  const height = Math.round(Math.min(HIGHEST, share * width));
  const unit = Math.max(0, Math.min((width - 2 * EDGE) / wide, (height - 2 * EDGE) / tall)); // 0 in a window without width
  const rounded = (value) => Math.round(value * 10) / 10;
  const at = ({ x, y }) => ({
    x: rounded(width / 2 + unit * (x - (left + right) / 2)),
    y: rounded(height / 2 - unit * (y - (low + high) / 2)),
  });
  return { at, unit, height };
}

modules["map/scale"] = { scaledTo };
