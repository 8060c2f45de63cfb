// One phone of the chosen corpus: what became of it, what it stands for, which features fail, beside which phones.

import { addressOf } from "../address.js";
import { page, readTable, unpackTable } from "../data.js";
import { byId, cut, element } from "../elements.js";
import { showContexts } from "./beside.js";
import { factsOf } from "./facts.js";
import { featuresBlock } from "./features.js";
import { showList } from "./list.js";
import { missedBlock, nearestBlock } from "./reference.js";

const LONGEST = 40; // letters
const loaded = new Map();

export const phones = { id: "phones", keys: ["phone", "beside"], show, place };

/** Where a state leads: to the phone that it names. */
function place(state) {
  return byId(state.phone ? "one-phone" : "phones-section");
}

/** Shows the phone that a state names, or the first of the corpus. */
async function show(state, corpus) {
  if (!loaded.has(corpus.name)) loaded.set(corpus.name, await read(corpus));
  const known = loaded.get(corpus.name);
  const names = known.groups.flatMap(([, own]) => own);
  for (const id of ["phones-bars", "phone-list", "one-phone"]) byId(id).hidden = names.length === 0;
  byId("phones-none").hidden = names.length > 0;
  if (!names.length) return;
  const phone = names.includes(state.phone) ? state.phone : names[0];
  showList(corpus, known.groups, phone);
  describe(corpus, phone, known);
  showContexts(corpus, phone, known, state.beside);
}

/** What the tables of a corpus have for its phones, read once. */
async function read(corpus) {
  const table = async (name) => (await readTable(`${corpus.name}/${name}.tsv`)).rows;
  const [classes, contexts, nearest, missed, embedding] = await Promise.all(
    ["classes", "contexts", "nearest", "missed", "embedding"].map(table),
  );
  const members = classes
    .filter(({ kind }) => kind === "default")
    .map((row) => [row.class, row.members.split(" ").filter((phone) => corpus.gold.includes(phone))]);
  const classOf = new Map(members.flatMap(([name, own]) => own.map((phone) => [phone, name])));
  const tells = members.some(([name, own]) => own.length && name !== "other");
  return {
    groups: groupsOf(corpus, members, classOf),
    classOf: tells ? classOf : new Map(),
    table: contexts,
    nearest,
    missed,
    onMap: new Set(embedding.map(({ phone }) => phone)),
    features: await readFeatures(corpus),
  };
}

/** The phones in the order of the list: gold ones by class, then those that are only heard. */
function groupsOf(corpus, members, classOf) {
  const others = corpus.gold.filter((phone) => !classOf.has(phone));
  const heard = corpus.predicted.filter((phone) => !corpus.gold.includes(phone));
  const groups = [...members, [members.length ? "other" : "spoken", others], ["heard, never spoken", heard]];
  return groups.filter(([, own]) => own.length);
}

async function readFeatures(corpus) {
  const packed = page.features[corpus.name];
  if (!packed) return null;
  const { columns, rows } = await unpackTable(packed);
  return { names: columns.slice(1), rows: new Map(rows.map((row) => [row[""], row])) };
}

function describe(corpus, phone, known) {
  byId("one-phone-title").replaceChildren(element("b", {}, cut(phone, LONGEST)), ` in ${cut(corpus.title, LONGEST)}`);
  const to = (state, text) => element("a", { href: addressOf({ corpus: corpus.name, ...state }) }, text);
  const links = [
    to({ partners: phone }, "In the matrix"),
    known.onMap.has(phone) ? to({ at: "map", phone }, "On the map") : null,
    byId("utterances-section") ? to({ search: phone }, "In utterances") : null,
  ];
  byId("one-phone-links").replaceChildren(...links.filter(Boolean).flatMap((link) => [link, " "]));
  const reference = page.corpora.find(({ role }) => role === "reference");
  const blocks = [
    ...factsOf(corpus, phone),
    featuresBlock(corpus, known.features, phone),
    missedBlock(reference?.name === corpus.name ? null : reference, known.missed, phone),
    nearestBlock(reference, known.nearest, phone),
  ];
  byId("phone-told").replaceChildren(...blocks.filter(Boolean));
}
