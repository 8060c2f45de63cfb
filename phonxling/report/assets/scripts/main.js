// Shows the state that the address holds: the chosen corpus in every section. Without scripts the page still shows its
// findings, its numbers and their definitions.

import { followAddress, noteShown, sectionOf } from "./address.js";
import { both } from "./comparison/both.js";
import { differences } from "./comparison/differences.js";
import { completed, showPairs } from "./comparison/pairs.js";
import { ranking } from "./comparison/ranking.js";
import { chosenCorpus, openCorpus, unknownIn } from "./corpus.js";
import { page, readWords } from "./data.js";
import { byId } from "./elements.js";
import { findings } from "./findings.js";
import { further } from "./further/section.js";
import { map } from "./map/section.js";
import { matrix } from "./matrix/section.js";
import { definitions } from "./numbers/definitions.js";
import { numbers } from "./numbers/section.js";
import { tables } from "./numbers/tables.js";
import { phones } from "./phones/section.js";
import { showTabs, withoutCorpus } from "./tabs.js";
import { utterances } from "./utterances/section.js";

const OF_RESULTS = [findings, matrix, utterances, phones, map, further, numbers, tables, definitions]; // each: the names of the state that it shows, and how
const OF_COMPARISON = [matrix, both, differences, ranking, tables, definitions];
const SECTIONS = (page.pairs.length ? OF_COMPARISON : OF_RESULTS).filter(({ id }) => byId(`${id}-section`));
const shownKeys = new Map();

/** Shows a state: the section that it leads to first. */
async function show(given, arrived) {
  let state = completed(given);
  const corpus = await openCorpus(chosenCorpus(state));
  if (!page.pairs.length) {
    const unknown = unknownIn(state, corpus);
    byId("unknown").hidden = !unknown;
    byId("unknown").textContent = unknown;
    if (state.corpus && state.corpus !== corpus.name) state = withoutCorpus(state);
    noteShown({ corpus: corpus.name });
  }
  const at = sectionOf(given);
  if (page.pairs.length) showPairs(state);
  else showTabs(corpus, state);
  const first = SECTIONS.filter((section) => section.id === at);
  await Promise.all([...new Set([...first, ...SECTIONS])].map((section) => showSection(section, state, corpus)));
  if (arrived) arrive(at, state);
}

/** Shows a section where something of it has changed. */
async function showSection(section, state, corpus) {
  const key = JSON.stringify([corpus.name, ...section.keys.map((name) => state[name] ?? "")]);
  if (shownKeys.get(section) === key) return;
  shownKeys.set(section, key);
  await section.show(state, corpus);
}

/** Takes the reader to a section, and to the place in it that the section gives. */
function arrive(at, state) {
  const section = SECTIONS.find(({ id }) => id === at);
  const place = section?.place?.(state) ?? byId(`${at}-section`);
  place?.scrollIntoView();
  const title = byId(section?.heading?.(state) ?? place?.getAttribute("aria-labelledby"));
  title?.setAttribute("tabindex", "-1");
  title?.focus({ preventScroll: true });
}

await readWords();
await followAddress(show);
