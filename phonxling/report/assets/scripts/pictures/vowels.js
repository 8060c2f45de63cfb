// The vowels as the IPA's quadrilateral: gold ones as discs, with arrows to what they are predicted as.

const { addressOf } = modules.address;
const { byId, shape } = modules.elements;
const { placeLabels } = modules["map/places"];
const { SLOPE, vowelAt } = modules["pictures/chart"];
const { answersOf, FEW, goldOf, percent, pictureLink } = modules["pictures/phones"];

const LEAST = 0.1; // share of an arrow
const HIGH = 440; // pixels
const [LARGEST, SMALLEST] = [20, 5]; // radius of a disc
const ASIDE = 22; // pixels between the unrounded and the rounded vowel, and between a plain and a marked one
const WIDEST = 760;
let redraw = () => {};

const vowels = { id: "vowels", keys: [], show };

addEventListener("resize", () => redraw());

function show(_, corpus) {
  const gold = goldOf(corpus).filter(({ phone }) => vowelAt(phone));
  byId("vowels-section").hidden = gold.length === 0;
  pictureLink("vowels", corpus);
  let width = 0;
  redraw = () => {
    const now = Math.min(WIDEST, Math.round(byId("vowels").parentElement.clientWidth));
    if (now === width || !gold.length) return;
    width = now;
    draw(corpus, gold, width);
  };
  redraw();
}

function draw(corpus, gold, width) {
  const svg = byId("vowels");
  svg.setAttribute("viewBox", `0 0 ${width} ${HIGH}`);
  svg.setAttribute("height", HIGH);
  const common = gold.filter(({ tokens }) => tokens >= FEW);
  const arrows = common.flatMap(({ phone }) =>
    answersOf(corpus, phone)
      .filter(([heard, share]) => heard !== phone && share >= LEAST && vowelAt(heard))
      .map((answer) => [phone, ...answer]),
  );
  const others = corpus.predicted.filter((phone) => vowelAt(phone) && !gold.some((one) => one.phone === phone));
  const nodes = new Map();
  const taken = new Map();
  const most = Math.max(...gold.map(({ tokens }) => tokens));
  const phones = [...gold.map((one) => one.phone), ...others].sort((a, b) => !!vowelAt(a).to - !!vowelAt(b).to);
  for (const phone of phones) nodes.set(phone, nodeOf(phone, width, taken)); // diphthongs go from where others stand
  for (const { phone, tokens } of gold) nodes.get(phone).r = SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(tokens / most);
  const frame = [
    [0, 0],
    [1, 0],
    [1, 1],
    [SLOPE, 1],
  ].map((corner) => at(corner, width).join(","));
  const names = [...nodes].map(([phone, node]) => ({
    phone,
    ...node,
    text: shape("text", { class: others.includes(phone) ? "other" : null }, phone),
  }));
  svg.replaceChildren(
    svg.querySelector("defs"),
    shape("polygon", { points: frame.join(" ") }),
    ...[...nodes.values()]
      .filter(({ way }) => way)
      .map(({ way }) => shape("path", { class: "glide", d: `M${way.join("L")}` })),
    ...[...nodes.values()].flatMap(({ rings = [] }) => rings.map(([cx, cy]) => shape("circle", { cx, cy, r: 3 }))),
    ...arrows.map((each) => arrow(corpus, nodes, each)),
    ...gold.map((each) => disc(corpus, nodes.get(each.phone), each)),
    ...others.map((phone) => shape("circle", { class: "other", cx: nodes.get(phone).x, cy: nodes.get(phone).y, r: 3 })),
    ...names.map(({ text }) => text),
  );
  const labels = names.map((one) => {
    const box = one.text.getBBox();
    return { ...one, w: box.width, h: box.height, dx: box.x, dy: box.y, dot: (one.r ?? 3) + 1 };
  });
  const lines = arrows.map(([phone, heard]) => [
    nodes.get(phone).x,
    nodes.get(phone).y,
    nodes.get(heard).x,
    nodes.get(heard).y,
  ]);
  placeLabels(labels, [], [width, HIGH], lines).forEach((place, which) => {
    const { text, dx, dy } = labels[which];
    if (place) text.setAttribute("transform", `translate(${place.box[0] - dx} ${place.box[1] - dy})`);
    else text.remove();
  });
}

const at = ([x, y], width) => [50 + x * (width - 110), 30 + y * (HIGH - 65)];

/** The place of a vowel, beside those that stand there already; of a diphthong on its way, from vowel to vowel. */
function nodeOf(phone, width, taken) {
  const { from, to } = vowelAt(phone);
  const key = to ? `${placeKey(from)} ${placeKey(to)}` : placeKey(from);
  const before = taken.get(key) ?? [];
  const beside = before.length * ASIDE;
  const vowelThere = (place) => taken.get(placeKey(place))?.[0];
  const there = (place) => at([place.x, place.y], width);
  const [x, y] = at([from.x, from.y], width);
  const own = [x + from.side * (ASIDE / 2 + beside), y + (before.length % 2) * ASIDE];
  taken.set(key, [...before, own]);
  if (!to) return { x: own[0], y: own[1] };
  const way = [from, to].map((place) => vowelThere(place) ?? there(place));
  const rings = [from, to].filter((place) => !vowelThere(place)).map(there);
  const share = 0.45 + 0.15 * before.length;
  return { x: way[0][0] + share * (way[1][0] - way[0][0]), y: way[0][1] + share * (way[1][1] - way[0][1]), way, rings };
}

const placeKey = ({ x, y, side }) => `${x} ${y} ${side}`;

function disc(corpus, { x, y, r }, { phone, tokens, accuracy }) {
  const made = shape("circle", { cx: x, cy: y, r, class: tokens < FEW ? "few" : null });
  made.style.setProperty("--v", percent(accuracy).replace(" ", ""));
  const title = `${phone}: ${tokens} tokens, ${percent(accuracy)} as itself`;
  return shape(
    "a",
    { href: addressOf({ corpus: corpus.name, phone }), class: "disc", "aria-label": title },
    shape("title", {}, title),
    made,
  );
}

function arrow(corpus, nodes, [phone, heard, share]) {
  const [from, to] = [nodes.get(phone), nodes.get(heard)];
  const long = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [along, across] = [(to.x - from.x) / long, (to.y - from.y) / long];
  const wide = 1 + 7 * share;
  const stop = (to.r ?? 3) + 1 + wide;
  const path = `M${from.x + along * from.r} ${from.y + across * from.r}L${to.x - along * stop} ${to.y - across * stop}`;
  const title = `${phone} → ${heard} ${percent(share)}`;
  const line = shape("path", { d: path, "stroke-width": wide.toFixed(1), "marker-end": "url(#head)" });
  return shape(
    "a",
    { href: addressOf({ corpus: corpus.name, gold: phone, heard }), class: "arrow", "aria-label": title },
    shape("title", {}, title),
    line,
  );
}

modules["pictures/vowels"] = { vowels };
