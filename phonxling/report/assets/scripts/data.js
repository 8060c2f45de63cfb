// What the page carries: tables as deflated TSV, alignments as codes of phones.

const GAP = "∅";
const LEAST_Q = 0.05; // from here on a difference is not clear

const page = JSON.parse(document.getElementById("data").textContent);
page.orders = { chart: [], places: { manners: [], places: [], consonants: {}, vowels: {} }, ...page.orders };

/** A function that makes a value of each key once. */
function once(make) {
  const made = new Map();
  return (key) => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key);
  };
}

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

const inflateText = async (text) => new TextDecoder().decode(await inflate(text));

/** A table, such as `phones` of a corpus as "yoruba/phones", read once: column names, and rows of texts; empty for none. */
const readTable = once(async (name) => {
  const packed = page.tables[name];
  const lines = packed ? (await inflateText(packed)).split("\n").slice(0, -1) : [];
  const cells = lines.map((line) => line.split("\t")); // of each column, its name first
  const rowOf = (_, row) => Object.fromEntries(cells.map((column) => [column[0], column[row + 1]]));
  return { columns: cells.map(([column]) => column), rows: (cells[0] ?? []).slice(1).map(rowOf) };
});

/** A number of a table; NaN for a missing one. */
function number(text) {
  if (text === "inf" || text === "-inf") return text === "inf" ? Infinity : -Infinity;
  return text === "" || text === undefined ? NaN : Number(text);
}

/**
 * Alignments: ids, speakers, rates, and per utterance where its pairs begin; a pair is two codes. Beside each pair, or null
 * where the corpus has none: when its phones begin and end, in seconds, and the predicted phone's confidence; NaN for
 * none. `forced`: the gold times were found from the posteriors.
 */
async function readAlignments(packed) {
  if (!packed) return { ids: [], speakers: [], offsets: [0], gold: [], predicted: [], wper: [], per: [] };
  const lines = async (name) => (await inflateText(packed[name])).split("\n");
  const rates = async (name) => new Float32Array(await inflate(packed[name]));
  const lengths = new Uint32Array(await inflate(packed.lengths));
  const offsets = new Uint32Array(lengths.length + 1);
  for (const [place, length] of lengths.entries()) offsets[place + 1] = offsets[place] + length;
  const codes = async (side) => {
    const bytes = await inflate(packed[side]);
    return bytes.byteLength === offsets.at(-1) ? new Uint8Array(bytes) : new Uint16Array(bytes);
  };
  const [goldStart, goldEnd] = await readTimes(packed, "gold", offsets);
  const [predictedStart, predictedEnd] = await readTimes(packed, "predicted", offsets);
  const times = { goldStart, goldEnd, predictedStart, predictedEnd, forced: packed.times === "forced" };
  const [ids, speakers, gold, predicted, wper, per] = await Promise.all([
    ...["ids", "speakers"].map(lines),
    ...["gold", "predicted"].map(codes),
    ...["wper", "per"].map(rates),
  ]);
  const scores = packed.confidence && new Uint8Array(await inflate(packed.confidence)); // hundredths
  const confidence = scores ? Float64Array.from(scores, (score) => (score === 255 ? NaN : score / 100)) : null;
  return { ids, speakers, offsets, gold, predicted, wper, per, ...times, confidence };
}

/** When the phones of a side begin and end, in seconds; NaN for one without times; null where the corpus has none. */
async function readTimes(packed, side, offsets) {
  if (!packed[`${side}_gaps`]) return [null, null];
  const gaps = new Int32Array(await inflate(packed[`${side}_gaps`]));
  const lengths = new Int32Array(await inflate(packed[`${side}_lengths`]));
  const start = new Float64Array(gaps.length).fill(NaN);
  const end = start.slice();
  const firsts = new Set(offsets);
  let before = 0; // hundredths of a second
  for (const [pair, length] of lengths.entries()) {
    if (firsts.has(pair)) before = 0; // of an utterance
    if (length < 0) continue;
    start[pair] = (before + gaps[pair]) / 100;
    before += gaps[pair] + length;
    end[pair] = before / 100;
  }
  return [start, end];
}
