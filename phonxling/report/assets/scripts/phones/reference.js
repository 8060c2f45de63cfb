// A phone beside the reference and the recogniser: its nearest reference phones, and why it was missed.

import { number } from "../data.js";
import { cut, element, shown } from "../elements.js";
import { plain, rounded } from "../rounding.js";
import { bar, linkTo } from "./facts.js";

const LONGEST = 40; // letters

/** The block on the nearest reference phones, null where the tables have none. */
export function nearestBlock(reference, rows, phone) {
  const own = rows.filter((row) => row.phone === phone);
  if (!own.length || !reference) return null;
  const names = [`Phone of ${reference.title}`, "Distance", "Nearest of all in"];
  const head = element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)));
  const lines = own.map((row) => {
    const link = linkTo({ corpus: reference.name, phone: row.reference }, row.reference);
    const note = [row.namesake ? "the same symbol" : "", row.note].filter(Boolean).join("; ");
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, link, note ? element("small", {}, ` ${note}`) : null),
      element("td", {}, rounded(number(row.distance), number(row.low), number(row.high))),
      element("td", { class: "number" }, share(number(row.share_nearest))),
    );
  });
  const told = [
    "By the recogniser’s mean probabilities while the phones were spoken, not by symbols. ",
    "The interval is of the distance without the noise of the means. ",
    "The last column: in how many resamples no other phone is nearer.",
  ];
  return element(
    "section",
    { class: "nearest" },
    element("h4", {}, "Nearest reference phones"),
    element("p", { class: "small" }, ...told),
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines)),
  );
}

const share = (value) => (Number.isNaN(value) ? "–" : `${shown(100 * value, 0)} %`);

/** The reasons of errors: columns of missed.tsv in words, of which {} is the reference. */
const REASONS = {
  absent: "heard as another phone: the recogniser does not have this one",
  expected: "heard as another phone, as {} leads one to expect",
  level: "heard as another phone, beyond the number that {} leads one to expect",
  pattern: "heard as a phone that {} does not lead one to expect, within that number",
  unattested: "heard as another phone, which {} has no token to compare with",
  deleted: "deleted",
};

/** The block on what the recogniser lacks and on reasons of errors, null where the tables have none. */
export function missedBlock(reference, rows, phone) {
  const row = rows.find((each) => each.phone === phone);
  if (!row) return null;
  const errors = number(row.errors);
  const isSplit = reference && row.level !== "";
  const reasons = isSplit
    ? REASONS
    : { absent: REASONS.absent, confused: "heard as another phone", deleted: REASONS.deleted };
  const counts = Object.entries(reasons)
    .map(([name, words]) => [words.replace("{}", reference?.title ?? ""), number(row[name])])
    .filter(([, count]) => count > 0);
  const most = Math.max(...counts.map(([, count]) => count));
  const lines = counts.map(([words, count]) =>
    bar(element("span", {}, words), count, { total: errors, most, kind: "other" }),
  );
  const chance =
    isSplit && lines.length ? " What is beyond expectation, or of other kinds, is above 0 by chance too." : "";
  return element(
    "section",
    { class: "missed" },
    element("h4", {}, row.in_inventory.endsWith("predicted") ? "What was predicted" : "What the recogniser lacks"),
    element("p", {}, ...inventory(row)),
    element("p", { class: "small" }, `${shown(errors, 1)} errors by their reasons.${chance}`),
    element("ol", { class: "bars wide" }, ...lines),
  );
}

function inventory({ phone, in_inventory: presence, nearest, distance, absent, absent_as_nearest: asNearest }) {
  if (presence === "exact" || presence === "predicted")
    return ["The recogniser has ", element("b", {}, cut(phone, LONGEST)), "."];
  if (presence === "never predicted")
    return [
      "The recogniser never predicted ",
      element("b", {}, cut(phone, LONGEST)),
      ". Whether it could is not known, because its inventory is not declared.",
    ];
  const near = nearest
    ? ` Nearest by features is ${cut(nearest, LONGEST)}, at a cost of ${plain(number(distance))}`
    : "";
  if (presence === "near")
    return [
      "The recogniser has a phone that counts as ",
      element("b", {}, cut(phone, LONGEST)),
      near ? `.${near}.` : ".",
    ];
  const heard = near ? `: ${shown(number(asNearest))} of ${shown(number(absent))} wrong tokens were heard as it.` : "";
  return [
    "The recogniser does not have ",
    element("b", {}, cut(phone, LONGEST)),
    `, so that no token can be right.${near}${heard}`,
  ];
}
