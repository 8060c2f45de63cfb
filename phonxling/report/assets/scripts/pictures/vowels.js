// The vowels as the IPA's quadrilateral: gold ones as discs, with arrows to what they are most often predicted as.

const [OFTEN, SELDOM, FEWEST] = [0.25, 0.1, 5]; // the share of an arrow; of the five largest, should fewer be that often
const [LARGEST, SMALLEST] = [20, 11]; // radius of a disc in pixels, each with room for a letter
const [ASIDE, ABOVE, AIR] = [14, 40, 6]; // pixels: beside and above the quadrilateral, between discs
const SLOPE = 0.42; // how far the front moves back from close to open, as a share of the width
const BENDS = [0, 0.15, -0.15, 0.3, -0.3, 0.5, -0.5, 0.8, -0.8]; // of an arrow, the first are preferred
const ALONG = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]; // where on its way a diphthong, or the share of an arrow, may stand
const STEPS = 60; // points along an arrow

const VOWELS = new Map(Object.entries(page.orders.places.vowels)); // the places of each: of a diphthong two

function showVowels(_, corpus) {
  const gold = goldOf(corpus).filter(({ phone }) => VOWELS.get(phone));
  byId("vowels-section").hidden = gold.length === 0;
  if (gold.length) filling(byId("vowels"), (width) => drawVowels(corpus, gold, width));
}

function drawVowels(corpus, gold, width) {
  const high = Math.round(Math.min(560, Math.max(300, 0.55 * width)));
  const answers = arrowsOf(corpus, gold);
  const isShown = (phone) => VOWELS.get(phone)?.length === 1 || answers.some(([, predicted]) => predicted === phone);
  const others = corpus.predicted.filter((phone) => isShown(phone) && !gold.some((one) => one.phone === phone));
  const most = Math.max(...gold.map(({ tokens }) => tokens));
  const discs = gold.map((one) => ({ ...one, r: SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(one.tokens / most) }));
  const nodes = placed([...discs, ...others.map((phone) => ({ phone, r: SMALLEST }))], width, high);
  const arrows = [];
  for (const answer of answers) arrows.push(...routed(answer, nodes, arrows, high));
  const corner = (height, backness) => vowelAt([height, backness], width, high);
  return [
    high,
    shape("polygon", { points: [corner(0, 0), corner(0, 2), corner(3, 2), corner(3, 0)].join(" ") }),
    arrows.map((arrow) => arrowMark(corpus, arrow)),
    nodes.map((node) => (node.tokens === undefined ? vowelName(node, "other") : disc(corpus, node))),
    shareLabels(arrows, nodes, width),
  ];
}

/** The answers that have an arrow: [phone, predicted, share], the most frequent first. */
function arrowsOf(corpus, gold) {
  const every = gold
    .filter(({ tokens }) => tokens >= page.few)
    .flatMap(({ phone }) => answersOf(corpus, phone).map((answer) => [phone, ...answer]))
    .filter(([phone, predicted, share]) => predicted !== phone && share >= SELDOM && VOWELS.get(predicted));
  return every.sort((a, b) => b[2] - a[2]).filter(([, , share], place) => share >= OFTEN || place < FEWEST);
}

/** Where a height and a backness stand, in pixels; the unrounded left of the rounded. */
function vowelAt([height, backness, rounded], width, high) {
  const aside = rounded === undefined ? 0 : rounded ? ASIDE : -ASIDE;
  const [x, y] = [(SLOPE * height * (2 - backness)) / 6 + backness / 2, height / 3];
  return [4 * ASIDE + x * (width - 8 * ASIDE) + aside, ABOVE + y * (high - 2 * ABOVE)];
}

/** The vowels with their places: those of one place beside each other, diphthongs on their way where there is room. */
function placed(every, width, high) {
  const nodes = every.map((one) => {
    const way = VOWELS.get(one.phone).map((place) => vowelAt(place, width, high));
    return { ...one, x: way[0][0], y: way[0][1], way: way[1] && way };
  });
  const standing = nodes.filter(({ way }) => !way).sort((a, b) => a.x - b.x || a.phone.length - b.phone.length);
  const rows = [...new Set(standing.map(({ y }) => y))].map((y) => standing.filter((one) => one.y === y));
  for (const row of rows) spread(row, width);
  for (const node of nodes.filter(({ way }) => way)) {
    const [[x, y], [endX, endY]] = node.way;
    const tried = ALONG.flatMap((part) =>
      [0, 18, -18].map((off) => [x + part * (endX - x), y + part * (endY - y) + off]),
    );
    [node.x, node.y] = cheapest(tried, (place) => -roomAround(place, standing));
    standing.push(node);
  }
  return standing;
}

const apart = ([x, y], node) => Math.hypot(node.x - x, node.y - y) - node.r;

/** How far a point is from the nearest disc, as far as that matters. */
const roomAround = (point, nodes, most = SMALLEST + AIR) => Math.min(most, ...nodes.map((node) => apart(point, node)));

/** Moves the vowels of one height apart until none is on another, and all are in the picture. */
function spread(row, width) {
  for (let pass = 0; pass < STEPS; pass++) {
    for (const [place, node] of row.entries()) {
      const before = row[place - 1];
      const close = before ? Math.max(0, (before.x + before.r + AIR + node.r - node.x) / 2) : 0;
      if (before) before.x -= close;
      node.x = Math.max(node.r + 2, Math.min(width - node.r - 2, node.x + close));
    }
  }
}

/** An arrow on the way with most room between other discs and the arrows before, from disc to disc; none without room. */
function routed([phone, predicted, share], nodes, before, high) {
  const [from, to] = [phone, predicted].map((name) => nodes.find((node) => node.phone === name));
  const others = nodes.filter((node) => node !== from && node !== to);
  const [right, down] = [to.x - from.x, to.y - from.y];
  const far = Math.hypot(right, down) || 1;
  const bends = far < from.r + to.r + 4 * AIR ? [70 / far, -70 / far] : BENDS; // too close for a straight arrow: around
  const ways = bends
    .map((bend) => {
      const [x, y] = [(from.x + to.x) / 2 + bend * down, (from.y + to.y) / 2 - bend * right];
      const on = (t, a, b, c) => (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t ** 2 * c;
      const steps = Array.from({ length: STEPS + 1 }, (_, step) => step / STEPS);
      const points = steps.map((t) => [on(t, from.x, x, to.x), on(t, from.y, y, to.y)]);
      return points.filter((point) => apart(point, from) > 0 && apart(point, to) > 3);
    })
    .filter(({ length }) => length > 1);
  const isCrossed = ([x, y]) =>
    before.some(({ points }) => points.some((one) => Math.hypot(one[0] - x, one[1] - y) < 4));
  const cost = (points) =>
    points.filter(isCrossed).length -
    Math.min(...points.map((point) => roomAround(point, others, AIR))) +
    99 * points.some(([, y]) => y < 4 || y > high - 4);
  const points = cheapest(ways, cost);
  return points ? [{ phone, predicted, share, points }] : [];
}

function arrowMark(corpus, { phone, predicted, share, points }) {
  const wide = 1 + 5 * share;
  const [long, half] = [5 + wide, 3 + wide / 2]; // of the head
  const [endX, endY] = points.at(-1);
  const shaft = points.filter(([x, y], place) => !place || Math.hypot(endX - x, endY - y) > long);
  const [x, y] = shaft.at(-1);
  const turn = `translate(${endX} ${endY}) rotate(${(180 / Math.PI) * Math.atan2(endY - y, endX - x)})`;
  const title = `${phone} → ${predicted} ${percent(share)}`;
  const way = `M${shaft.map((point) => point.map((value) => value.toFixed(1))).join("L")}`;
  const line = shape("path", { d: way, "stroke-width": wide.toFixed(1) });
  const head = { class: "head", d: `M${-long - 1} ${-half}L0 0L${-long - 1} ${half}z`, transform: turn };
  const cell = { corpus: corpus.name, gold: phone, predicted };
  return shapeLink(cell, title, { class: "arrow" }, line, shape("path", head));
}

/** The shares at the arrows, each where it stands on no disc, no other share, and no other arrow. */
function shareLabels(arrows, nodes, width) {
  const taken = [];
  return arrows.map((arrow) => {
    const [first, last] = [arrow.points[0], arrow.points.at(-1)];
    const isShort = Math.hypot(last[0] - first[0], last[1] - first[1]) < 50; // its share stands beside it
    const others = arrows.filter((each) => isShort || each !== arrow);
    const ways = others.flatMap(({ points }) => points).map(([x, y]) => ({ x, y }));
    const tried = ALONG.flatMap((part) => {
      const [x, y] = arrow.points[Math.round(part * (arrow.points.length - 1))];
      return [0, -13, 13].flatMap((down) =>
        [0, 22, -22].map((right) => [Math.max(18, Math.min(width - 18, x + right)), y + down]),
      );
    });
    const near = ([x, y], places, wide, high) =>
      places.filter((one) => Math.abs(one.x - x) < wide + (one.r ?? 0) && Math.abs(one.y - y) < high + (one.r ?? 0))
        .length;
    const cost = (at, place) =>
      50 * near(at, nodes, 17, 7) + 50 * near(at, taken, 36, 15) + 2 * near(at, ways, 18, 8) + place / 10;
    const [x, y] = cheapest(tried, cost);
    taken.push({ x, y });
    return shape("text", { class: "share", x, y: y + 4 }, percent(arrow.share));
  });
}

function disc(corpus, node) {
  const { phone, x, y, r, tokens, accuracy } = node;
  const made = shape("circle", { cx: x, cy: y, r, class: tokens < page.few ? "few" : null });
  made.style.setProperty("--v", percent(accuracy).replace(" ", ""));
  const title = `${phone}: ${tokens} tokens, ${percent(accuracy)} as itself`;
  const name = vowelName(node, tokens >= page.few && accuracy > 0.6 ? "dark" : null);
  return shapeLink({ corpus: corpus.name, phone }, title, { class: "disc" }, made, name);
}

const vowelName = ({ phone, x, y }, kind) => shape("text", { class: kind, x, y: y + 6 }, phone);
