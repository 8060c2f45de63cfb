// Making elements. Text from data is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** An element with attributes and children; a child that is no element is text. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function shape(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** A select filled with [value, text, disabled?]. */
export function fillSelect(select, options, chosen) {
  const made = options.map(([value, text, disabled]) => {
    const option = element("option", { value }, text);
    option.disabled = Boolean(disabled);
    option.selected = value === chosen;
    return option;
  });
  select.replaceChildren(...made);
}

/** A number as a person reads it. */
export function shown(value, digits = 3) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text = Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** A value with its interval, where there is one. */
export function withInterval(value, low, high, digits = 3) {
  const limits = Number.isNaN(low) ? "" : ` [${shown(low, digits)}, ${shown(high, digits)}]`;
  return shown(value, digits) + limits;
}
