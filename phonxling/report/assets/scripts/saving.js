// Saving a picture of the page as SVG.

const PAPER_EDGE = 12; // pixels around a picture
const UNSEEN = "button, select, label, title, defs, br, [hidden]";
const PLACES = "x y dx dy x1 y1 x2 y2 cx cy r rx width height d points transform".split(" ");
const LOOKS = "fill-opacity stroke-width stroke-dasharray stroke-opacity".split(" ");
const OF_LETTERS = "font-size font-weight text-anchor paint-order".split(" ");
const COLOURS = /(?:rgba?|oklab|oklch|color)\([^()]*\)/g;

document.addEventListener("click", ({ target }) => target.matches?.("button.save") && savePicture(target.dataset));

/** Saves the picture that a button names, above the texts of the elements that make up its caption, the title first. */
function savePicture({ picture, caption }) {
  const [title, ...sentences] = caption.split(" ").map((id) => captionWords(byId(id)));
  document.documentElement.classList.add("saving"); // in the light colours, and no head of a table is held in sight
  const svg = pictureOf(byId(picture), title, sentences.join(" "));
  document.documentElement.classList.remove("saving");
  const name = title.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, "-");
  const content = new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
  const link = element("a", { href: URL.createObjectURL(content), download: `${name.slice(0, 60)}.svg` });
  link.click();
  URL.revokeObjectURL(link.href);
}

function captionWords(place) {
  const copy = place.cloneNode(true);
  for (const each of copy.querySelectorAll(UNSEEN)) each.remove();
  return copy.textContent.replace(/\s+/g, " ").trim();
}

/** An element of the page as SVG, its looks at each mark, for other programs have no style sheet. */
function pictureOf(node, title, words) {
  const { left, top, right, bottom } = node.getBoundingClientRect();
  const paper = colour(getComputedStyle(document.body).backgroundColor);
  const sheet = { left, top, right, bottom, paper, defs: new Map() };
  const marks = drawnMarks(node, sheet);
  const caption = element("p", { class: "small" }, element("b", {}, title), element("br"));
  caption.append(words);
  const [across, down, wide] = [left + scrollX, sheet.bottom + scrollY, sheet.right - left]; // below the picture
  caption.style.cssText = `position: absolute; left: ${across}px; top: ${down}px; width: ${wide}px`;
  document.body.append(caption);
  marks.push(...drawnMarks(caption, sheet));
  caption.remove();
  const [width, height] = [sheet.right - left, sheet.bottom - top].map((size) => Math.ceil(size) + 2 * PAPER_EDGE);
  return shape(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}` },
    shape("title", {}, title),
    shape("defs", {}, ...sheet.defs.values()),
    shape("rect", { width, height, fill: paper }),
    shape("g", { transform: `translate(${PAPER_EDGE} ${PAPER_EDGE})` }, ...marks),
  );
}

/** The marks of what is seen of a node: boxes and letters, and the marks of pictures in it, of which links are groups. */
function drawnMarks(node, sheet) {
  const isMark = node.parentNode instanceof SVGElement;
  if (node.nodeType === Node.TEXT_NODE) return isMark ? [node.cloneNode()] : lettersOf(node, sheet);
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(UNSEEN)) return [];
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden" || style.clipPath !== "none") return [];
  const inside = [...node.childNodes].flatMap((each) => drawnMarks(each, sheet));
  if (node.localName === "svg") {
    const { a, b, c, d, e, f } = node.getScreenCTM();
    const way = [a, b, c, d, toTenths(e - sheet.left), toTenths(f - sheet.top)];
    return [shape("g", { transform: `matrix(${way.join(" ")})` }, ...inside)];
  }
  if (!isMark) return [...boxOf(node, style, sheet), ...inside];
  const places = PLACES.filter((name) => node.hasAttribute(name)).map((name) => [name, pixelsOf(node, name)]);
  const isGroup = ["a", "g"].includes(node.localName);
  const look = isGroup ? {} : lookOf(node.localName, style, sheet);
  if (node.localName === "rect")
    for (const name of ["x", "y", "width", "height"]) look[name] = toTenths(node.getBBox()[name]); // the style may size it
  return [shape(isGroup ? "g" : node.localName, { ...Object.fromEntries(places), ...look }, ...inside)];
}

const toTenths = (value) => Math.round(10 * value) / 10;

/** The value of an attribute, in pixels where it is a share. */
function pixelsOf(node, name) {
  const text = node.getAttribute(name);
  const length = text.endsWith("%") ? node[name].baseVal : null;
  return length ? toTenths((length[0] ?? length).value) : text;
}

function lookOf(name, style, sheet) {
  const look = { fill: paintOf(style.fill, sheet), stroke: paintOf(style.stroke, sheet) };
  const names = name === "text" ? [...LOOKS, ...OF_LETTERS] : LOOKS;
  for (const each of names) look[each] = style.getPropertyValue(each);
  return name === "text" ? { ...look, "font-family": style.fontFamily.replace(/system-ui,\s*/, "") } : look; // which only browsers know
}

/** A colour, or a pattern of the page, which the picture takes with it. */
function paintOf(text, { defs }) {
  const id = /url\("?#([^")]+)/.exec(text)?.[1];
  if (!id) return colour(text);
  const made = byId(id).cloneNode();
  made.append(...[...byId(id).children].flatMap((each) => drawnMarks(each, { defs })));
  defs.set(id, made);
  return `url(#${id})`;
}

/** The ground and the edges of a box; edges as white as the paper are left free. */
function boxOf(node, style, sheet) {
  const { left, top, right, bottom } = node.getBoundingClientRect();
  sheet.right = Math.max(sheet.right, right);
  sheet.bottom = Math.max(sheet.bottom, bottom);
  const edgeOf = (side) => [Number.parseFloat(style[`border${side}Width`]), colour(style[`border${side}Color`])];
  const edges = ["Top", "Right", "Bottom", "Left"].map(edgeOf);
  const free = edges.every(([wide, stroke]) => wide && stroke === sheet.paper) ? 0.5 : 0;
  const [x, y] = [left - sheet.left + free, top - sheet.top + free].map(toTenths);
  const [width, height] = [right - left - 2 * free, bottom - top - 2 * free].map(toTenths);
  const place = { x, y, width, height, rx: Number.parseFloat(style.borderRadius) || null };
  const fills = [colour(style.backgroundColor), stripesOf(style.backgroundImage, sheet)];
  const boxes = fills.filter((fill) => fill !== "none").map((fill) => shape("rect", { ...place, fill }));
  const [across, down] = [`h${width}`, `v${height}`];
  const ways = [
    `M${x} ${y}${across}`,
    `M${x + width} ${y}${down}`,
    `M${x} ${y + height}${across}`,
    `M${x} ${y}${down}`,
  ];
  for (const [side, [wide, stroke]] of edges.entries())
    if (wide && !["none", sheet.paper].includes(stroke))
      boxes.push(shape("path", { d: ways[side], stroke, "stroke-width": wide }));
  return boxes;
}

/** A repeated gradient of the page as stripes of its first colour on its last; none for another. */
function stripesOf(text, { defs }) {
  if (!text.startsWith("repeating")) return "none";
  const colours = text.match(COLOURS).map(colour);
  const id = defs.get(text)?.id ?? `stripes-${defs.size}`;
  const stripe = (width, fill) => shape("rect", { width, height: 6, fill });
  const form = { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  defs.set(text, shape("pattern", form, stripe(6, colours.at(-1)), stripe(2, colours[0])));
  return `url(#${id})`;
}

/** The letters of a text, line by line, where the page has them. */
function lettersOf(node, sheet) {
  const style = getComputedStyle(node.parentNode);
  const range = document.createRange();
  const lines = [];
  for (const { 0: word, index } of node.data.matchAll(/[^\s\u00ad–]+–?|–/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const { left, right, top, bottom } = [...range.getClientRects()].at(-1) ?? {};
    const last = lines.at(-1);
    const isPart = /[\u00ad–]/.test(node.data[index - 1] ?? "");
    const longer = `${last?.text}${isPart ? "" : " "}${word}`;
    if (last && Math.abs(last.top - top) < 2) Object.assign(last, { right, text: longer });
    else if (right > left) lines.push({ left, right, top, bottom, text: word });
    if (isPart && lines.at(-1) !== last) last.text += node.data[index - 1] === "–" ? "" : "-";
  }
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = pen.measureText("x");
  const middle = style.textAlign === "center";
  return lines.map(({ left, right, top, bottom, text }) => {
    const x = toTenths((middle ? (left + right) / 2 : left) - sheet.left);
    const y = toTenths((top + bottom + up - down) / 2 - sheet.top); // the line that the letters stand on
    const look = { ...lookOf("text", style, sheet), fill: colour(style.color), stroke: null };
    return shape("text", { x, y, ...look, "text-anchor": middle ? "middle" : null }, text);
  });
}

/** A colour on white, as #rrggbb, which all programs know; none for one that is not seen. */
const colour = once((text) => {
  if (text === "none") return text;
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = text;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue, opacity] = pen.getImageData(0, 0, 1, 1).data;
  const onWhite = [red, green, blue].map((part) => Math.round(255 - ((255 - part) * opacity) / 255));
  return opacity ? `#${onWhite.map((part) => part.toString(16).padStart(2, "0")).join("")}` : "none";
});
