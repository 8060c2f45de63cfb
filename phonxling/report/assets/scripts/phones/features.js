// Features that fail: in which features a phone differs from what was heard in its place, by how many tokens.

import { element, shown } from "../elements.js";
import { bar, linkTo, partnersOf } from "./facts.js";

const MOST = 10; // features with a line
const EXAMPLES = 3;

/** What fails: { substituted, changes: [{ feature, from, to, count, heard: [[phone, count] …] }], kept: [feature …] }. */
export function failuresOf(corpus, features, phone) {
  const own = features.rows.get(phone);
  if (!own) return null;
  const wrong = partnersOf(corpus, "gold", phone).filter(([heard]) => heard !== phone && features.rows.has(heard));
  const changes = new Map();
  for (const [heard, count] of wrong) {
    for (const feature of features.names) {
      const [from, to] = [own[feature], features.rows.get(heard)[feature]];
      if (from === to) continue;
      const key = `${feature}\t${to}`;
      if (!changes.has(key)) changes.set(key, { feature, from, to, count: 0, heard: [] });
      changes.get(key).count += count;
      changes.get(key).heard.push([heard, count]);
    }
  }
  const changed = new Set([...changes.values()].map(({ feature }) => feature));
  return {
    substituted: wrong.reduce((sum, [, count]) => sum + count, 0),
    changes: [...changes.values()].sort((one, other) => other.count - one.count),
    kept: features.names.filter((feature) => !changed.has(feature)),
  };
}

/** The block on features, null for a phone without features or without wrong answers. */
export function featuresBlock(corpus, features, phone) {
  const found = features && failuresOf(corpus, features, phone);
  if (!found?.substituted) return null;
  const { substituted, changes, kept } = found;
  const list = element("ol", { class: "bars wide" });
  for (const { feature, from, to, count, heard } of changes.slice(0, MOST)) {
    const links = heard
      .slice(0, EXAMPLES)
      .flatMap(([each], place) => [place ? " " : "", linkTo({ corpus: corpus.name, gold: phone, heard: each }, each)]);
    const more = heard.length > EXAMPLES ? " …" : "";
    const name = element(
      "span",
      {},
      element("b", {}, feature),
      ` ${from} → ${to} `,
      element("small", {}, ...links, more),
    );
    list.append(bar(name, count, { total: substituted, most: changes[0].count, kind: "other" }));
  }
  const told = [
    `Of ${shown(substituted, 1)} tokens that were heard as another phone, so many differ in the feature; a token can differ in several. `,
    "+ has the feature, − lacks it, to 0 it does not apply.",
    changes.length > MOST ? ` ${changes.length - MOST} rarer changes are not shown.` : "",
    kept.length ? ` Never changed: ${kept.join(", ")}.` : "",
  ];
  return element(
    "section",
    { class: "features" },
    element("h4", {}, "Features that fail"),
    element("p", { class: "small" }, ...told),
    list,
  );
}
