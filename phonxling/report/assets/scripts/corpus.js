// One corpus of the page: its phones, its confusions, its alignments.

import { GAP, number, page, readAlignments, readTable } from "./data.js";

const loaded = new Map();

/** The name of the corpus that a state chooses: the first target where it names none that there is. */
export function chosenCorpus(state) {
  const known = page.corpora.find(({ name }) => name === state.corpus);
  return (known ?? page.corpora.find(({ role }) => role === "target") ?? page.corpora[0]).name;
}

/** What an address names and the page does not have: the corpus, or a phone of the corpus that it shows; "" for none. */
export function unknownIn({ corpus, gold, heard }, shown) {
  if (corpus && corpus !== shown.name) return `This page has no corpus “${corpus}”. It shows ${shown.title}.`;
  const recognised = [...shown.association, ...shown.sounds].map((row) => row.recognised);
  const known = { gold: labels(shown, "gold"), predicted: [...labels(shown, "predicted"), ...recognised] };
  const lacking = Object.entries({ gold, predicted: heard }).find(
    ([side, phone]) => phone && !known[side].includes(phone),
  );
  return lacking ? `${shown.title} has no ${lacking[0]} phone “${lacking[1]}”.` : "";
}

/** The corpus of that name, read once. */
export async function openCorpus(name) {
  if (!loaded.has(name)) loaded.set(name, await read(name));
  return loaded.get(name);
}

async function read(name) {
  const about = page.corpora.find((corpus) => corpus.name === name);
  const table = async (file) => (await readTable(`${name}/${file}.tsv`)).rows;
  const [phones, confusions, expected, association, sounds] = await Promise.all(
    ["phones", "confusions", "expected", "association", "sounds_like"].map(table),
  );
  const alignments = await readAlignments(about.alignments);
  return { ...about, phones, confusions, expected, association, sounds, alignments };
}

/** The labels of a side, the gap last. */
export const labels = (corpus, side) => [...corpus[side], GAP];

/** The counts of confusions.tsv, of all utterances. */
export function tableCounts(corpus) {
  const [rows, columns] = ["gold", "predicted"].map((side) => labels(corpus, side));
  const place = [rows, columns].map((names) => new Map(names.map((name, code) => [name, code])));
  const counts = new Float64Array(rows.length * columns.length);
  for (const row of corpus.confusions) {
    counts[place[0].get(row.gold) * columns.length + place[1].get(row.predicted)] = number(row.count);
  }
  return counts;
}
