// The matrix: a grid whose every cell can be reached with the mouse and with the keyboard.

const { GAP, page } = modules.data;
const { element } = modules.elements;
const { plain } = modules.rounding;

const MOVES = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
};
const FEW = page.few; // tokens; the shares of a row with fewer are hatched
const BLANK = element("td", { role: "gridcell", tabindex: "-1" });

/**
 * Draws a view's chosen rows and columns. A view has `rows` and `columns` (names), `values` row by row (NaN for none),
 * `marked` and `hidden` places, `limit`, and `diverging`. Calls `onFocus` and `onOpen` with a cell's row and column.
 */
function drawMatrix(table, view, { rows, columns }, { onFocus, onOpen }) {
  const state = { rows, columns, at: [0, 0] };
  const cells = body(view, state); // made anew each time, and its listeners with it
  table.replaceChildren(widths(columns), header(view, state), cells);
  (table.closest("figure") ?? table).style.setProperty("--columns", columns.length);
  table.setAttribute("aria-rowcount", rows.length + 1);
  table.setAttribute("aria-colcount", columns.length + 1);
  const cellAt = ([row, column]) => [...(cells.rows[row]?.cells ?? [])].at(column - columns.length);
  const placeOf = (cell) => [
    cell.parentNode.sectionRowIndex,
    cell.cellIndex - cell.parentNode.cells.length + columns.length,
  ];
  const tell = (call, [row, column]) => call(rows[row], columns[column]);

  const move = (place) => {
    cellAt(state.at)?.setAttribute("tabindex", "-1");
    state.at = place;
    cellAt(place)?.setAttribute("tabindex", "0");
  };
  const focus = (place) => {
    move(place);
    cellAt(place)?.focus();
  };
  move([0, 0]);
  const tellOf = ({ target }) => target.role === "gridcell" && tell(onFocus, placeOf(target));
  cells.addEventListener("focusin", (event) => {
    if (event.target.role === "gridcell") move(placeOf(event.target));
    tellOf(event);
  });
  cells.addEventListener("mouseover", tellOf);
  cells.addEventListener("click", ({ target }) => {
    if (target.role !== "gridcell") return;
    focus(placeOf(target));
    tell(onOpen, state.at);
  });
  cells.addEventListener("keydown", (event) => {
    if (event.target.role !== "gridcell") return;
    const place = moved(event, state);
    if (place) focus(place);
    else if (event.key === "Enter" || event.key === " ") tell(onOpen, state.at);
    else return;
    event.preventDefault();
  });
  return { refocus: () => focus(state.at), select: selecting(cells, { state, move, cellAt }) };
}

/** Marks the cell of a row and a column of the view as the one that is open, or none. */
const selecting =
  (cells, { state, move, cellAt }) =>
  (row, column) => {
    cells.querySelector("[aria-selected]")?.removeAttribute("aria-selected");
    const place = [state.rows.indexOf(row), state.columns.indexOf(column)];
    if (place.includes(-1)) return;
    move(place);
    cellAt(place).setAttribute("aria-selected", "true");
  };

function moved(event, { rows, columns, at: [row, column] }) {
  const clamp = (value, size) => Math.max(0, Math.min(size - 1, value));
  if (event.key === "Home") return [event.ctrlKey ? 0 : row, 0];
  if (event.key === "End") return [event.ctrlKey ? rows.length - 1 : row, columns.length - 1];
  const step = MOVES[event.key];
  return step && [clamp(row + step[0], rows.length), clamp(column + step[1], columns.length)];
}

function widths(columns) {
  const cells = columns.length ? [element("col", { class: "cell", span: columns.length })] : [];
  return element("colgroup", {}, element("col", { class: "head" }), ...cells);
}

function header(view, { columns }) {
  const corner = element("th", { scope: "col", class: "corner" }, "gold ↓  pred. →");
  const names = columns.map((column) => name("col", view.columns[column]));
  return element("thead", {}, element("tr", { role: "row" }, corner, ...names));
}

function body(view, { rows, columns }) {
  const lines = rows.map((row) => {
    const cells = columns.map((column) => gridCell(view, row, column));
    const few = isFew(view, row) ? "few" : null;
    return element("tr", { role: "row", class: few }, name("row", view.rows[row]), ...cells);
  });
  return element("tbody", {}, ...lines);
}

/** The head of a row or a column; a name that is cut is whole where the mouse points at it, and beside the matrix. */
function name(scope, label) {
  const made = element("th", { scope, title: label.length > 3 ? label : null });
  made.append(element("span", {}));
  made.firstChild.textContent = label;
  return made;
}

/** Whether a row has so few tokens that its shares say little. */
function isFew({ key, counts, columns }, row) {
  const own = counts.subarray(row * columns.length, (row + 1) * columns.length);
  const tokens = own.reduce((sum, count) => sum + count, 0);
  return key !== "counts" && tokens > 0 && tokens < FEW;
}

function gridCell(view, row, column) {
  const [gold, heard] = [view.rows[row], view.columns[column]];
  const place = row * view.columns.length + column;
  const hidden = view.hidden?.has(place);
  const marked = view.marked?.has(place) && !hidden;
  const text = hidden ? "left out" : told(view.values[place]);
  const cell = BLANK.cloneNode();
  cell.ariaLabel = `gold ${gold}, predicted ${heard}: ${text}${marked ? ", q below 0.05" : ""}`;
  if (gold === heard && gold !== GAP) cell.classList.add("same");
  if (marked) cell.classList.add("marked");
  if (hidden) cell.classList.add("hidden");
  else paint(cell, view.values[place], view);
  return cell;
}

/** The colour: how far a value is from 0, in the direction of its sign. */
function paint(cell, value, view) {
  if (Number.isNaN(value)) {
    cell.classList.add("none");
    return;
  }
  cell.classList.add(view.diverging ? (value < 0 ? "below" : "above") : "amount");
  cell.style.setProperty("--v", `${Math.round(strength(value, view) * 100)}%`);
}

/** A value as a text; – for none. */
const told = (value) => (Number.isNaN(value) ? "–" : plain(value));

/** How strong a value's colour is, 0 to 1: of amounts by the square root; a view may have paler values below 0. */
function strength(value, view) {
  const share = view.limit ? Math.min(1, Math.abs(value) / view.limit) : 0;
  if (!view.diverging) return Math.sqrt(share);
  return value < 0 ? share * (view.below ?? 1) : share;
}

modules["matrix/grid"] = { drawMatrix, FEW, isFew, told };
