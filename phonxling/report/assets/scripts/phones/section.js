// The phones of a corpus, the worst first: accuracy, or entropy, with its interval; of the chosen one what became of it.

const MOST_PARTNERS = 8; // partners that are named
const [ROW, TOP, NARROWEST] = [22, 34, 330]; // pixels: a line of the chart, its axis, the least width of a column
const [NAME, ANSWER] = [50, 92]; // pixels: left of the axis, right of it
const SIDES = { gold: "What became of it", predicted: "What it stands for where it is predicted" };
const FACTS = { tokens: "Tokens", accuracy: "Accuracy", deletion_rate: "Deleted", entropy: "Entropy (bits)" };

/** Where a state leads: to the phone that it names. */
function placeOfPhone(state) {
  return byId(state.phone && byId("one-phone").classList.contains("chosen") ? "one-phone" : "phones-section");
}

/** Shows the chart, and the phone that a state names, or else the worst. */
function showPhones(state, corpus) {
  const gold = goldOf(corpus);
  byId("phones-section").hidden = gold.length === 0;
  if (!gold.length) return;
  const isKnown = [...corpus.gold, ...corpus.predicted].includes(state.phone);
  byId("one-phone").classList.toggle("chosen", isKnown);
  const drawChart = () => {
    const measure = byId("phones-measure").value;
    for (const own of document.querySelectorAll("#phones-reading [data-measure]"))
      own.hidden = own.dataset.measure !== measure;
    const ranked = worstFirst(gold, measure);
    filling(byId("phone-chart"), (width) => drawPhones(corpus, ranked, { measure, width, chosen: state.phone }));
    describe(corpus, isKnown ? state.phone : ranked[0].phone);
  };
  byId("phones-measure").onchange = drawChart;
  drawChart();
}

/** Phones of many tokens before those of few, whose numbers say little; in each the worst first. */
function worstFirst(gold, measure) {
  const worse = ({ row }) => (number(row[measure]) || 0) * (measure === "accuracy" ? 1 : -1);
  return [...gold].sort((a, b) => (a.tokens < page.few) - (b.tokens < page.few) || worse(a) - worse(b));
}

/** Draws the phones in as many columns as there is room for, each below an axis of its own. */
function drawPhones(corpus, ranked, { measure, width, chosen }) {
  const columns = Math.max(1, Math.min(3, Math.floor(width / NARROWEST)));
  const lines = Math.ceil(ranked.length / columns);
  const wide = width / columns;
  const limits = ranked.map(({ row }) => number(row[`${measure}_high`]) || number(row[measure]) || 0);
  const most = measure === "accuracy" ? 1 : Math.max(1, Math.ceil(Math.max(...limits)));
  const scale = (value) => NAME + (Math.min(value, most) / most) * (wide - NAME - ANSWER - 10);
  const columnOf = (_, column) => {
    const own = ranked.slice(column * lines, (column + 1) * lines);
    const bars = own.flatMap((one, place) => bar(corpus, one, { measure, scale, wide, y: TOP + place * ROW, chosen }));
    const axis = axisOf(measure, most, scale, TOP + own.length * ROW);
    return shape("g", { transform: `translate(${column * wide} 0)` }, ...axis, ...bars);
  };
  return [TOP + lines * ROW, Array.from({ length: columns }, columnOf)];
}

function axisOf(measure, most, scale, bottom) {
  const ticks = measure === "accuracy" ? [0, 0.5, 1] : Array.from({ length: most + 1 }, (_, bits) => bits);
  const named = (value) => (measure === "accuracy" ? percent(value) : String(value));
  const title = measure === "accuracy" ? "accuracy" : "entropy in bits";
  return [
    shape("text", { class: "axis", x: scale(most / 2), y: 12 }, title),
    ...ticks.flatMap((value) => [
      shape("path", { class: "tick", d: `M${scale(value)} ${TOP - 4}V${bottom}` }),
      shape("text", { class: "axis", x: scale(value), y: TOP - 7 }, named(value)),
    ]),
  ];
}

/** A line of the chart: a phone, its value with its interval, and its most frequent other answer. */
function bar(corpus, { phone, tokens, row }, { measure, scale, wide, y, chosen }) {
  const [value, low, high] = ["", "_low", "_high"].map((end) => number(row[measure + end]));
  const answer = answersOf(corpus, phone).find(([other]) => other !== phone);
  const told = measure === "accuracy" ? percent(value) : `${rounded(value)} bits`;
  const title = `${phone}: ${measure} ${told}, ${tokens} tokens`;
  const middle = y + ROW / 2;
  const interval = { class: "amount", x1: scale(low), x2: scale(high), y1: middle, y2: middle };
  const look = { "aria-current": phone === chosen || null, class: tokens < page.few ? "few" : null };
  const words = answer ? `${cut(answer[0], 6)} ${percent(answer[1])}` : "";
  const marks = [
    shape("rect", { class: "ground", x: 0, y, width: wide - 10, height: ROW, rx: 4 }),
    shape("text", { class: "name", x: NAME - 12, y: middle + 5 }, cut(phone, 6)),
    Number.isNaN(low) ? null : shape("line", interval),
    Number.isNaN(value) ? null : shape("circle", { class: "amount", cx: scale(value), cy: middle, r: 4 }),
  ];
  const link = shapeLink({ corpus: corpus.name, phone }, title, look, ...marks);
  return [link, shape("text", { class: "answer", x: wide - ANSWER, y: middle + 5 }, words)];
}

function describe(corpus, phone) {
  byId("one-phone-title").replaceChildren(element("b", {}, cut(phone, LONGEST_NAME)), ` in ${cutTitle(corpus.title)}`);
  const links = [[{ partners: phone }, "In the matrix"]];
  if (page.tables[`${corpus.name}/map`]) links.push([{ at: "map", phone }, "On the map"]);
  links.push([{ search: phone }, "In utterances"]);
  const made = links.flatMap(([state, text]) => [linkTo({ corpus: corpus.name, ...state }, text), " "]);
  byId("one-phone-links").replaceChildren(...made);
  byId("phone-told").replaceChildren(...Object.keys(SIDES).map((side) => phoneFacts(corpus, side, phone)));
}

/** What the table of phones says of a phone of a side, and what it was aligned with. */
function phoneFacts(corpus, side, phone) {
  const row = corpus.phones.find((each) => each.side === side && each.phone === phone);
  const none = side === "gold" ? "It is not a gold phone." : "No predicted phone is this one.";
  const numbers = (name) => [name, `${name}_low`, `${name}_high`].map((column) => number(row[column]));
  const known = Object.keys(FACTS).filter((name) => row?.[name]);
  const label = (name) => (name === "deletion_rate" && side === "predicted" ? "Inserted" : FACTS[name]);
  const lines = known.flatMap((name) => [element("dt", {}, label(name)), element("dd", {}, rounded(...numbers(name)))]);
  const chip = ([partner, share]) => {
    const pair = side === "gold" ? { gold: phone, predicted: partner } : { gold: partner, predicted: phone };
    const gone = partner === GAP ? ` ${side === "gold" ? "deleted" : "inserted"}` : "";
    const href = addressOf({ corpus: corpus.name, ...pair });
    return [element("a", { href, class: "chip" }, `${cut(partner, LONGEST_NAME)}${gone} ${percent(share)}`), " "];
  };
  const chips = partnersOf(corpus, side, phone).slice(0, MOST_PARTNERS).flatMap(chip);
  const told = row ? element("dl", {}, ...lines) : element("p", {}, none);
  const title = element("h4", {}, SIDES[side]);
  return element("section", { class: side }, title, told, element("p", { class: "chips" }, ...chips));
}
