// What the page carries: tables as deflated TSV, alignments as codes of phones.

const GAP = "∅";

const page = JSON.parse(document.getElementById("data").textContent);
page.orders = { chart: [], places: { manners: [], places: [], consonants: {}, vowels: {} }, ...page.orders };

/** Unpacks the words of the page: `page.measures` by name and variant, `page.meanings` of tables and columns. */
async function readWords() {
  Object.assign(page, JSON.parse(await inflateText(page.words)));
}

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function inflateText(text) {
  return new TextDecoder().decode(await inflate(text));
}

const tablesRead = new Map();

/** A table, such as `phones` of a corpus as "yoruba/phones", read once: column names, and rows of texts; empty for none. */
function readTable(name) {
  if (!tablesRead.has(name)) tablesRead.set(name, unpacked(page.tables[name]));
  return tablesRead.get(name);
}

async function unpacked(packed) {
  const lines = packed ? (await inflateText(packed)).split("\n").slice(0, -1) : [];
  const cells = lines.map((line) => line.split("\t")); // of each column, its name first
  const columns = cells.map(([name]) => name);
  const rows = (cells[0] ?? [])
    .slice(1)
    .map((_, row) => Object.fromEntries(cells.map((column) => [column[0], column[row + 1]])));
  return { columns, rows };
}

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
  const ids = (await inflateText(packed.ids)).split("\n");
  const speakers = (await inflateText(packed.speakers)).split("\n");
  const lengths = new Uint32Array((await inflate(packed.lengths)).buffer);
  const pairs = lengths.reduce((sum, length) => sum + length, 0);
  const codes = (bytes) => (bytes.length === pairs ? Uint16Array.from(bytes) : new Uint16Array(bytes.buffer));
  const [gold, predicted] = [codes(await inflate(packed.gold)), codes(await inflate(packed.predicted))];
  const offsets = new Uint32Array(lengths.length + 1);
  lengths.forEach((length, place) => {
    offsets[place + 1] = offsets[place] + length;
  });
  const [goldStart, goldEnd] = await readTimes(packed, "gold", offsets);
  const [predictedStart, predictedEnd] = await readTimes(packed, "predicted", offsets);
  const times = { goldStart, goldEnd, predictedStart, predictedEnd, forced: packed.times === "forced" };
  const [wper, per] = [await readRates(packed.wper), await readRates(packed.per)];
  return { ids, speakers, offsets, gold, predicted, wper, per, ...times, confidence: await readConfidence(packed) };
}

const readRates = async (packed) => new Float32Array((await inflate(packed)).buffer);

/** When the phones of a side begin and end, in seconds; NaN for one without times; null where the corpus has none. */
async function readTimes(packed, side, offsets) {
  if (!packed[`${side}_gaps`]) return [null, null];
  const gaps = new Int32Array((await inflate(packed[`${side}_gaps`])).buffer);
  const lengths = new Int32Array((await inflate(packed[`${side}_lengths`])).buffer);
  const start = new Float64Array(gaps.length).fill(NaN);
  const end = start.slice();
  for (let utterance = 0; utterance + 1 < offsets.length; utterance++) {
    let before = 0; // hundredths of a second
    for (let pair = offsets[utterance]; pair < offsets[utterance + 1]; pair++) {
      if (lengths[pair] < 0) continue;
      start[pair] = (before + gaps[pair]) / 100;
      before += gaps[pair] + lengths[pair];
      end[pair] = before / 100;
    }
  }
  return [start, end];
}

/** The confidence of each predicted phone, 0 to 1; NaN for none; null where the corpus has none. */
async function readConfidence(packed) {
  if (!packed.confidence) return null;
  return Float64Array.from(await inflate(packed.confidence), (share) => (share === 255 ? NaN : share / 100));
}

Object.assign(shared, { GAP, number, page, readAlignments, readTable, readWords });
