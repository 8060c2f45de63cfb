// The list of phones, by class, each with a bar of how often it was heard as itself.

import { change } from "../address.js";
import { number } from "../data.js";
import { byId, cut, element, shown } from "../elements.js";

const LONGEST = 12; // letters
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
let filled = "";

/** Shows the list of a corpus' phones in their groups, [title, phones], with the chosen one marked. */
export function showList(corpus, groups, chosen) {
  const list = byId("phone-list");
  if (filled !== corpus.name) fill(list, corpus, groups);
  filled = corpus.name;
  for (const option of optionsOf(list)) {
    const isChosen = option.dataset.phone === chosen;
    option.setAttribute("aria-selected", isChosen);
    option.setAttribute("tabindex", isChosen ? "0" : "-1");
  }
}

const optionsOf = (list) => [...list.querySelectorAll("[role=option]")];

function fill(list, corpus, groups) {
  const rows = new Map(corpus.phones.filter(({ side }) => side === "gold").map((row) => [row.phone, row]));
  const made = groups.map(([title, phones]) => {
    const options = phones.map((phone) => optionOf(phone, rows.get(phone)));
    const heading = element("span", { class: "small", "aria-hidden": "true" }, title);
    return element("div", { role: "group", "aria-label": title }, heading, ...options);
  });
  list.replaceChildren(...made);
  list.onclick = ({ target }) => {
    const option = target.closest("[role=option]");
    if (option) choose(option, true);
  };
  list.onkeydown = (event) => {
    const next = nextOf(optionsOf(list), event);
    if (!next) return;
    event.preventDefault();
    choose(next, false);
  };
}

function optionOf(phone, row) {
  const accuracy = row ? number(row.accuracy) : NaN;
  const told = Number.isNaN(accuracy)
    ? phone
    : `${phone}: ${shown(accuracy, 2)} of ${shown(number(row.tokens))} tokens`;
  const bar = element("span", { class: "meter" }, element("span", { class: "level" }));
  bar.style.setProperty("--v", `${Math.round(100 * (accuracy || 0))}%`);
  const name = element("b", {}, cut(phone, LONGEST));
  const parts = Number.isNaN(accuracy) ? [name] : [name, bar];
  return element("div", { role: "option", "aria-label": told, title: told, "data-phone": phone }, ...parts);
}

function choose(option, isStep) {
  option.focus();
  change({ phone: option.dataset.phone, at: "" }, { step: isStep });
}

/** The option that a key leads to: the next one, the first, the last, or the next that begins with a letter. */
function nextOf(options, { key, target, ctrlKey, altKey, metaKey }) {
  const at = options.indexOf(target);
  if (at < 0 || ctrlKey || altKey || metaKey) return null;
  if (STEPS[key]) return options[(at + STEPS[key] + options.length) % options.length];
  if (key === "Home") return options[0];
  if (key === "End") return options.at(-1);
  if (key.length !== 1 || key === " ") return null;
  return [...options.slice(at + 1), ...options.slice(0, at)].find(({ dataset }) => dataset.phone.startsWith(key));
}
