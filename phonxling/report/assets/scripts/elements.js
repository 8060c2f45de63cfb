// Making elements. Text from data is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";
const LONG = 200; // letters of a text that is folded
const LONGEST_LINE = 60; // letters of a text in one line
const LONGEST_NAME = 40; // letters of a name
const LONGEST_TITLE = 24; // letters of a corpus' title
const AT_ONCE = 10;

const byId = (id) => document.getElementById(id);

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** An element with attributes and children; a child that is no element is text. */
function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children.map(folded));
}

/** A text, or, where it is very long, an element that shows its beginning, and all of it when it is clicked. */
function folded(text) {
  if (typeof text !== "string" || text.length <= LONG) return text;
  return filled(document.createElement("span"), { class: "long", tabindex: "0" }, [text]);
}

/** A name of at most so many letters, with … in its middle where it had to be cut. */
function cut(name, most) {
  const letters = Array.from(name);
  const end = Math.floor(most / 3);
  return letters.length <= most ? name : [...letters.slice(0, most - end - 1), "…", ...letters.slice(-end)].join("");
}

/** A corpus' title with its name cut, so that “(not above chance)” stays whole. */
const cutTitle = (title) => title.replace(/^.*?(?=( \(not above chance\))?$)/, (name) => cut(name, LONGEST_TITLE));

function shape(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** A link to a state. */
const linkTo = (state, ...children) => element("a", { href: addressOf(state) }, ...children);

/** A context to measure letters and colours with. */
const pen = element("canvas", { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });

/** A select filled with [value, text, disabled?]; it calls `choose`, if any, with the value that is chosen. */
function fillSelect(select, options, chosen, choose) {
  const optionOf = ([value, text, disabled]) => {
    const option = element("option", { value, title: text.length > LONGEST_LINE ? text : null });
    option.textContent = cut(text, LONGEST_LINE);
    option.disabled = Boolean(disabled);
    option.selected = value === chosen;
    return option;
  };
  select.replaceChildren(...options.map(optionOf));
  select.onchange = () => choose?.(select.value);
  return select;
}

/** A select of the speakers of a corpus. */
function fillSpeakers(select, { alignments }, chosen, choose) {
  const names = [...new Set(alignments.speakers)].filter(Boolean).sort();
  fillSelect(select, [["", "all"], ...names.map((name) => [name, name])], chosen, choose);
  select.disabled = names.length === 0;
}

/** Fills a list with what is made of items, ten at first; its button adds ten more, as long as there are any. */
function fillByTens(list, button, items, made) {
  list.replaceChildren();
  button.onclick = () => {
    const first = list.childElementCount;
    list.append(...items.slice(first, first + AT_ONCE).map(made));
    button.hidden = list.childElementCount >= items.length;
    button.textContent = `Show more (${items.length - list.childElementCount} left)`;
  };
  button.onclick();
}

const plural = (count, noun) => `${plain(count)} ${noun}${count === 1 ? "" : "s"}`;
