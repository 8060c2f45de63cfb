// The matrix: a grid whose every cell can be reached with the mouse and with the keyboard.

const BLANK = element("td", { role: "gridcell", tabindex: "-1" });

/**
 * Draws a view's chosen rows and columns. A view has `rows` and `columns` (names), `values` row by row (NaN for none),
 * `marked` places, `limit`, and `diverging`. Tells of the cell in focus, and calls `open` with the row and column of one.
 */
function drawMatrix(table, view, { rows, columns }, open) {
  const lines = rows.map((row) => {
    const cells = columns.map((column) => gridCell(view, row, column));
    const few = isFew(view, row) ? "few" : null;
    return element("tr", { role: "row", class: few }, headCell("row", view.rows[row]), ...cells);
  });
  const body = element("tbody", {}, ...lines); // made anew each time, and its listeners with it
  const corner = element("th", { scope: "col", class: "corner" }, "gold ↓  pred. →");
  const heads = columns.map((column) => headCell("col", view.columns[column]));
  table.replaceChildren(element("thead", {}, element("tr", { role: "row" }, corner, ...heads)), body);
  table.closest("figure").style.setProperty("--columns", columns.length);
  table.setAttribute("aria-rowcount", rows.length + 1);
  table.setAttribute("aria-colcount", columns.length + 1);
  let at = [0, 0];
  const cellAt = ([row, column]) => body.rows[row]?.cells[column + 1];
  const move = (place) => {
    cellAt(at)?.setAttribute("tabindex", "-1");
    at = place;
    cellAt(at)?.setAttribute("tabindex", "0");
    return cellAt(at);
  };
  move(at);
  const on = (type, call) =>
    body.addEventListener(type, (event) => {
      const { role, parentNode, cellIndex } = event.target;
      if (role === "gridcell") call([parentNode.sectionRowIndex, cellIndex - 1], event);
    });
  for (const type of ["focusin", "mouseover"]) on(type, ([row, column]) => tellCell(view, rows[row], columns[column]));
  on("click", ([row, column]) => {
    move([row, column]).focus();
    open(rows[row], columns[column]);
  });
  on("keydown", (place, event) => {
    const next = nextPlace(event, place, rows.length, columns.length);
    if (next) move(next).focus();
    else if (event.key === "Enter" || event.key === " ") open(rows[place[0]], columns[place[1]]);
    else return;
    event.preventDefault();
  });
  /** Marks the cell of a row and a column of the view as the one that is open, or none. */
  const select = (row, column) => {
    body.querySelector("[aria-selected]")?.removeAttribute("aria-selected");
    const place = [rows.indexOf(row), columns.indexOf(column)];
    if (!place.includes(-1)) move(place).setAttribute("aria-selected", "true");
  };
  return { refocus: () => move(at)?.focus(), select };
}

function nextPlace({ key, ctrlKey }, [row, column], height, width) {
  const places = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    PageUp: [row - 10, column],
    PageDown: [row + 10, column],
    Home: [ctrlKey ? 0 : row, 0],
    End: [ctrlKey ? height : row, width],
  };
  const within = (place, size) => Math.max(0, Math.min(size - 1, place));
  return places[key] && [within(places[key][0], height), within(places[key][1], width)];
}

/** The head of a row or a column; a name that is cut is whole where the mouse points at it, and beside the matrix. */
function headCell(scope, label) {
  const isTied = /[\u0361\u035c]/.test(label);
  const made = element("th", { scope, title: label.length > 3 ? label : null, class: isTied ? "tied" : null });
  made.append(element("span", {}));
  made.firstChild.textContent = label;
  return made;
}

/** Whether a row has so few tokens that its shares say little. */
function isFew({ key, counts, columns }, row) {
  const own = counts.subarray(row * columns.length, (row + 1) * columns.length);
  const tokens = own.reduce((sum, count) => sum + count, 0);
  return key !== "counts" && tokens > 0 && tokens < page.few;
}

function gridCell(view, row, column) {
  const [gold, predicted] = [view.rows[row], view.columns[column]];
  const place = row * view.columns.length + column;
  const marked = view.marked?.has(place);
  const cell = BLANK.cloneNode();
  cell.ariaLabel = `gold ${gold}, predicted ${predicted}: ${plain(view.values[place])}${marked ? ", q below 0.05" : ""}`;
  if (gold === predicted && gold !== GAP) cell.classList.add("same");
  if (marked) cell.classList.add("marked");
  paint(cell, view.values[place] * (view.better?.(gold, predicted) ?? 1), view);
  return cell;
}

/** The colour: how far a value is from 0, in the direction of its sign. */
function paint(cell, value, view) {
  cell.classList.add(Number.isNaN(value) ? "none" : value < 0 ? "below" : "above");
  if (!Number.isNaN(value)) cell.style.setProperty("--v", `${Math.round(strength(value, view) * 100)}%`);
}

/** How strong a value's colour is, 0 to 1: of amounts by the square root; a view may have paler values below 0. */
function strength(value, view) {
  const share = view.limit ? Math.min(1, Math.abs(value) / view.limit) : 0;
  if (!view.diverging) return Math.sqrt(share);
  return value < 0 ? share * (view.below ?? 1) : share;
}
