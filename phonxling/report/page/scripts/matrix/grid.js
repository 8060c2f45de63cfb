// The matrix: a grid whose every cell can be reached with the mouse and with the keyboard.

import { GAP } from "../data.js";
import { element, shown } from "../elements.js";

const MOVES = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
};

/** Draws a view of the chosen rows and columns; tells of a cell in focus, and of one that is opened. */
export function drawMatrix(table, view, chosen, { onFocus, onOpen }) {
  const state = { rows: chosen.rows, columns: chosen.columns, at: [0, 0] };
  const cells = body(view, state); // made anew each time, and its listeners with it
  table.replaceChildren(header(view, state), cells);
  table.setAttribute("aria-rowcount", state.rows.length + 1);
  table.setAttribute("aria-colcount", state.columns.length + 1);
  const cellAt = ([row, column]) => cells.rows[row]?.cells[column + 1];
  const placeOf = (cell) => [cell.parentNode.rowIndex - 1, cell.cellIndex - 1];
  const tell = (call, [row, column]) => call(view.rows[state.rows[row]], view.columns[state.columns[column]]);

  const focus = (place) => {
    cellAt(state.at)?.setAttribute("tabindex", "-1");
    state.at = place;
    const cell = cellAt(place);
    cell.setAttribute("tabindex", "0");
    cell.focus();
  };
  cellAt([0, 0])?.setAttribute("tabindex", "0");
  const told = ({ target }) => target.role === "gridcell" && tell(onFocus, placeOf(target));
  cells.addEventListener("focusin", told);
  cells.addEventListener("mouseover", told);
  cells.addEventListener("click", ({ target }) => {
    if (target.role !== "gridcell") return;
    focus(placeOf(target));
    tell(onOpen, state.at);
  });
  cells.addEventListener("keydown", (event) => {
    const place = moved(event, state);
    if (place) focus(place);
    else if (event.key === "Enter" || event.key === " ") tell(onOpen, state.at);
    else return;
    event.preventDefault();
  });
  return { refocus: () => focus(state.at) };
}

function moved(event, { rows, columns, at: [row, column] }) {
  const clamp = (value, size) => Math.max(0, Math.min(size - 1, value));
  if (event.key === "Home") return [event.ctrlKey ? 0 : row, 0];
  if (event.key === "End") return [event.ctrlKey ? rows.length - 1 : row, columns.length - 1];
  const step = MOVES[event.key];
  return step && [clamp(row + step[0], rows.length), clamp(column + step[1], columns.length)];
}

function header(view, state) {
  const corner = element("th", { scope: "col", class: "corner" }, "gold ↓  heard →");
  const names = state.columns.map((column) => element("th", { scope: "col" }, view.columns[column]));
  return element("thead", {}, element("tr", { role: "row" }, corner, ...names));
}

function body(view, state) {
  const made = element("tbody");
  for (const row of state.rows) {
    const cells = state.columns.map((column) => gridCell(view, row, column));
    made.append(element("tr", { role: "row" }, element("th", { scope: "row" }, view.rows[row]), ...cells));
  }
  return made;
}

function gridCell(view, row, column) {
  const [gold, heard] = [view.rows[row], view.columns[column]];
  const place = row * view.columns.length + column;
  const value = view.values[place];
  const marked = view.marked?.has(place);
  const label = `gold ${gold}, heard ${heard}: ${shown(value)}${marked ? ", q below 0.05" : ""}`;
  const cell = element("td", { role: "gridcell", tabindex: "-1", "aria-label": label });
  if (gold === heard && gold !== GAP) cell.classList.add("same");
  if (marked) cell.classList.add("marked");
  paint(cell, value, view);
  return cell;
}

/** The colour: how far a value is from 0, in the direction of its sign. */
function paint(cell, value, view) {
  if (Number.isNaN(value)) {
    cell.classList.add("none");
    return;
  }
  const share = view.limit ? Math.min(1, Math.abs(value) / view.limit) : 0;
  const seen = view.diverging ? share : Math.sqrt(share);
  cell.classList.add(view.diverging ? (value < 0 ? "below" : "above") : "amount");
  cell.style.setProperty("--v", `${Math.round(seen * 100)}%`);
}
