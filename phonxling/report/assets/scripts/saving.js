// Saving a picture of the page as SVG.

const { byId, element, shape } = shared;

const EDGE = 12; // pixels around a picture
const UNSEEN = "button, select, label, title, defs, br, [hidden]";
const PLACES = "x y dx dy x1 y1 x2 y2 cx cy r rx width height d points transform".split(" ");
const LOOKS = "fill-opacity stroke-width stroke-dasharray stroke-opacity".split(" ");
const OF_LETTERS = "font-size font-weight text-anchor paint-order".split(" ");
const COLOURS = /(?:rgba?|oklab|oklch|color)\([^()]*\)/g;

const pen = element("canvas", { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
const known = new Map(); // what a browser calls a colour, as all programs know it

document.addEventListener("click", ({ target }) => target.matches?.("button.save") && savePicture(target.dataset));

/** Saves the picture that a button names, above the texts of the elements that make up its caption, the title first. */
function savePicture({ picture, caption }) {
  const [title, ...sentences] = caption.split(" ").map((id) => wordsOf(byId(id)));
  const svg = inLight(() => pictureOf(byId(picture), title, sentences.join(" ")));
  const name = title.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, "-");
  const content = new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
  const link = element("a", { href: URL.createObjectURL(content), download: `${name.slice(0, 60)}.svg` });
  link.click();
  URL.revokeObjectURL(link.href);
}

function wordsOf(place) {
  const copy = place.cloneNode(true);
  for (const each of copy.querySelectorAll(UNSEEN)) each.remove();
  return copy.textContent.replace(/\s+/g, " ").trim();
}

/** What is made while the page has its light colours, and no head of a table is held in sight. */
function inLight(make) {
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]);
  const media = rules.filter(({ conditionText }) => conditionText?.includes("dark")).map((rule) => rule.media);
  const before = media.map(({ mediaText }) => mediaText);
  for (const each of media) each.mediaText = "not all";
  document.documentElement.classList.add("saving");
  try {
    return make();
  } finally {
    document.documentElement.classList.remove("saving");
    for (const [which, each] of media.entries()) each.mediaText = before[which];
  }
}

/** An element of the page as SVG, its looks at each mark, for other programs have no style sheet. */
function pictureOf(node, title, words) {
  const { left, top, right, bottom } = node.getBoundingClientRect();
  const paper = colour(getComputedStyle(document.body).backgroundColor);
  const sheet = { left, top, right, bottom, paper, defs: new Map() };
  const marks = drawn(node, sheet);
  const caption = element("p", { class: "small" }, element("b", {}, title), element("br"));
  caption.append(words);
  const place = { left: left + scrollX, top: sheet.bottom + scrollY, width: sheet.right - left }; // below the picture
  caption.style.position = "absolute";
  for (const [name, value] of Object.entries(place)) caption.style[name] = `${value}px`;
  document.body.append(caption);
  marks.push(...drawn(caption, sheet));
  caption.remove();
  const [width, height] = [sheet.right - left, sheet.bottom - top].map((size) => Math.ceil(size) + 2 * EDGE);
  return shape(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}` },
    shape("title", {}, title),
    shape("defs", {}, ...sheet.defs.values()),
    shape("rect", { width, height, fill: paper }),
    shape("g", { transform: `translate(${EDGE} ${EDGE})` }, ...marks),
  );
}

/** The marks of what is seen of a node: boxes and letters, and the marks of pictures in it, of which links are groups. */
function drawn(node, sheet) {
  const isMark = node.parentNode instanceof SVGElement;
  if (node.nodeType === Node.TEXT_NODE) return isMark ? [node.cloneNode()] : lettersOf(node, sheet);
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(UNSEEN)) return [];
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden" || style.clipPath !== "none") return [];
  const inside = [...node.childNodes].flatMap((each) => drawn(each, sheet));
  if (node.localName === "svg") {
    const { a, b, c, d, e, f } = node.getScreenCTM();
    const way = [a, b, c, d, rounded(e - sheet.left), rounded(f - sheet.top)];
    return [shape("g", { transform: `matrix(${way.join(" ")})` }, ...inside)];
  }
  if (!isMark) return [...boxOf(node, style, sheet), ...inside];
  const places = PLACES.filter((name) => node.hasAttribute(name)).map((name) => [name, placeOf(node, name)]);
  const isGroup = ["a", "g"].includes(node.localName);
  const look = isGroup ? {} : lookOf(node.localName, style, sheet);
  if (node.localName === "rect")
    for (const name of ["x", "y", "width", "height"]) look[name] = rounded(node.getBBox()[name]); // the style may size it
  return [shape(isGroup ? "g" : node.localName, { ...Object.fromEntries(places), ...look }, ...inside)];
}

const rounded = (value) => Math.round(10 * value) / 10;

/** The value of an attribute, in pixels where it is a share. */
function placeOf(node, name) {
  const text = node.getAttribute(name);
  const length = text.endsWith("%") ? node[name].baseVal : null;
  return length ? rounded((length[0] ?? length).value) : text;
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
  made.append(...[...byId(id).children].flatMap((each) => drawn(each, { defs })));
  defs.set(id, made);
  return `url(#${id})`;
}

/** The ground and the edges of a box; edges as white as the paper are left free. */
function boxOf(node, style, sheet) {
  const { left, top, right, bottom } = node.getBoundingClientRect();
  sheet.right = Math.max(sheet.right, right);
  sheet.bottom = Math.max(sheet.bottom, bottom);
  const edges = ["Top", "Right", "Bottom", "Left"].map((side) => ({
    wide: Number.parseFloat(style[`border${side}Width`]),
    stroke: colour(style[`border${side}Color`]),
  }));
  const free = edges.every(({ wide, stroke }) => wide && stroke === sheet.paper) ? 0.5 : 0;
  const [x, y] = [left - sheet.left + free, top - sheet.top + free].map(rounded);
  const [width, height] = [right - left - 2 * free, bottom - top - 2 * free].map(rounded);
  const place = { x, y, width, height, rx: Number.parseFloat(style.borderRadius) || null };
  const fills = [colour(style.backgroundColor), stripesOf(style.backgroundImage, sheet)];
  const corners = [
    `M${x} ${y}h${width}`,
    `M${x + width} ${y}v${height}`,
    `M${x} ${y + height}h${width}`,
    `M${x} ${y}v${height}`,
  ];
  const isSeen = (_, side) => edges[side].wide && !["none", sheet.paper].includes(edges[side].stroke);
  return [
    ...fills.filter((fill) => fill !== "none").map((fill) => shape("rect", { ...place, fill })),
    ...edges
      .map(({ wide, stroke }, side) => shape("path", { d: corners[side], stroke, "stroke-width": wide }))
      .filter(isSeen),
  ];
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
    const x = rounded((middle ? (left + right) / 2 : left) - sheet.left);
    const y = rounded((top + bottom + up - down) / 2 - sheet.top); // the line that the letters stand on
    const look = { ...lookOf("text", style, sheet), fill: colour(style.color), stroke: null };
    return shape("text", { x, y, ...look, "text-anchor": middle ? "middle" : null }, text);
  });
}

/** A colour on white, as #rrggbb; none for one that is not seen. */
function colour(text) {
  if (text === "none") return text;
  if (!known.has(text)) {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = text;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, opacity] = pen.getImageData(0, 0, 1, 1).data;
    const onWhite = [red, green, blue].map((part) => Math.round(255 - ((255 - part) * opacity) / 255));
    known.set(text, opacity ? `#${onWhite.map((part) => part.toString(16).padStart(2, "0")).join("")}` : "none");
  }
  return known.get(text);
}
