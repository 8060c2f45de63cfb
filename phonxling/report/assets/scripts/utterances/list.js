// A long table in a box of its own. The arrow keys, Page, Home and End move in it.

/** Fills the body of a table in a box that scrolls, with row `start` in sight; each row has one link. */
function fillList(box, rows, start) {
  const body = box.querySelector("tbody");
  const links = rows.map((row) => row.querySelector("a"));
  const focused = body.contains(document.activeElement);
  for (const [place, link] of links.entries()) link.tabIndex = place === start ? 0 : -1;
  const moved = start > 0 || body.childElementCount > 0; // else it stands where it shall, and asking costs a layout
  body.replaceChildren(...rows);
  body.onkeydown = (event) => press(event, box, rows, links);
  if (moved) reveal(box, rows[start]);
  if (focused) (links[start] ?? box).focus({ preventScroll: true });
}

/** Scrolls the box, and nothing else, until a row is in sight. */
function reveal(box, row) {
  if (!row) return;
  const head = box.querySelector("thead").offsetHeight;
  const top = Math.min(box.scrollTop, row.offsetTop - head);
  box.scrollTop = Math.max(top, row.offsetTop + row.offsetHeight - box.clientHeight);
}

function press(event, box, rows, links) {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -rows.length, End: rows.length };
  const at = links.indexOf(event.target);
  if (!(event.key in steps) || at < 0) return;
  event.preventDefault();
  const next = Math.max(0, Math.min(rows.length - 1, at + steps[event.key]));
  links[at].tabIndex = -1;
  links[next].tabIndex = 0;
  reveal(box, rows[next]);
  links[next].focus({ preventScroll: true });
}

modules["utterances/list"] = { fillList };
