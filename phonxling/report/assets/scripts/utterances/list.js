// A long table of which only the rows in sight are made. The arrow keys, Page, Home and End move in it.

import { element } from "../elements.js";

const HEIGHT = 2.125; // of a row, in rem, as in utterances.css
const MORE = 8; // rows above and below those in sight

let at = 0; // the row that the keyboard stands on
let shownRows = [];

/** Fills the body of a table in a box that scrolls, with row `start` in sight; `row(place)` makes a row with one link. */
export function fillList(box, list, start) {
  at = start;
  shownRows = [];
  box.onscroll = () => draw(box, list);
  bodyOf(box).onkeydown = (event) => press(event, box, list);
  draw(box, list); // now it is as high as it has to be
  if (start === 0) box.scrollTop = 0;
  else reveal(box, start);
  draw(box, list);
}

const bodyOf = (box) => box.querySelector("tbody");
const heightOf = () => HEIGHT * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

function draw(box, list) {
  const height = heightOf();
  const first = Math.max(0, Math.min(Math.floor(box.scrollTop / height), list.count) - MORE);
  const last = Math.min(list.count, Math.ceil((box.scrollTop + box.clientHeight) / height) + MORE);
  if (first === shownRows[0] && last === shownRows[1]) return;
  shownRows = [first, last];
  const focused = bodyOf(box).contains(document.activeElement);
  const rows = Array.from({ length: last - first }, (_, place) => made(list, first + place));
  bodyOf(box).replaceChildren(space(first * height), ...rows, space((list.count - last) * height));
  if (focused) (linkOf(box) ?? box).focus({ preventScroll: true });
}

function made(list, place) {
  const row = list.row(place);
  row.setAttribute("aria-rowindex", place + 2); // the head is the first
  row.querySelector("a").tabIndex = place === at ? 0 : -1;
  row.dataset.place = place;
  return row;
}

/** A row as high as those that are not made. */
function space(height) {
  const row = element("tr", { "aria-hidden": "true" });
  row.style.setProperty("height", `${height}px`);
  return row;
}

const linkOf = (box) => bodyOf(box).querySelector(`tr[data-place="${at}"] a`);

/** Scrolls the box, and nothing else, until a row is in sight. */
function reveal(box, place) {
  const height = heightOf();
  const head = box.querySelector("thead").offsetHeight;
  const top = Math.min(box.scrollTop, place * height);
  box.scrollTop = Math.max(top, (place + 1) * height + head - box.clientHeight);
}

function press(event, box, list) {
  const page = Math.max(1, Math.floor(box.clientHeight / heightOf()) - 2);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -list.count, End: list.count };
  const row = event.target.closest("tr");
  if (!(event.key in steps) || !row?.dataset.place) return;
  event.preventDefault();
  at = Math.max(0, Math.min(list.count - 1, Number(row.dataset.place) + steps[event.key]));
  reveal(box, at);
  shownRows = [];
  draw(box, list);
  linkOf(box).focus({ preventScroll: true });
}
