// Whether confidences are right: how often phones of each confidence are right.

const { number, readTable } = modules.data;
const { byId, shape } = modules.elements;
const { percent, pictureLink } = modules["pictures/phones"];

const [SIDE, EDGE] = [360, 64]; // pixels

const calibration = { id: "calibration", keys: [], show };

async function show(_, corpus) {
  const rows = (await readTable(`${corpus.name}/calibration`)).rows.filter(({ n }) => number(n) > 0);
  byId("calibration-section").hidden = rows.length === 0;
  pictureLink("calibration", corpus);
  if (!rows.length) return;
  const x = (share) => EDGE + share * (SIDE - EDGE - 24);
  const y = (share) => SIDE - 48 - share * (SIDE - EDGE - 24);
  const bins = rows.map((row) => Object.fromEntries(Object.keys(row).map((name) => [name, number(row[name])])));
  const most = Math.max(...bins.map(({ n }) => n));
  const ticks = [0, 0.5, 1].flatMap((share) => [
    shape("text", { x: x(share), y: SIDE - 30, "text-anchor": "middle" }, `${100 * share} %`),
    shape("text", { x: EDGE - 6, y: y(share) + 4, "text-anchor": "end" }, `${100 * share} %`),
  ]);
  const marks = bins.flatMap(({ confidence, accuracy, accuracy_low: low, accuracy_high: high, n }) => [
    shape("path", { class: "range", d: `M${x(confidence)} ${y(low || 0)}V${y(high || 0)}` }),
    shape(
      "circle",
      { cx: x(confidence), cy: y(accuracy), r: 2 + 6 * Math.sqrt(n / most) },
      shape("title", {}, `${n} tokens: confidence ${percent(confidence)}, right ${percent(accuracy)}`),
    ),
  ]);
  byId("calibration").setAttribute("viewBox", `0 0 ${SIDE} ${SIDE}`);
  byId("calibration").replaceChildren(
    shape("path", { class: "axis", d: `M${x(0)} ${y(1)}V${y(0)}H${x(1)}` }),
    shape("path", { class: "diagonal", d: `M${x(0)} ${y(0)}L${x(1)} ${y(1)}` }),
    ...ticks,
    shape("text", { x: x(0.5), y: SIDE - 8, "text-anchor": "middle" }, "confidence"),
    shape("text", { x: 12, y: y(0.5), "text-anchor": "middle", transform: `rotate(-90 12 ${y(0.5)})` }, "share right"),
    ...marks,
  );
  const sum = (name) =>
    bins.reduce((total, bin) => total + bin.n * bin[name], 0) / bins.reduce((total, bin) => total + bin.n, 0);
  byId("calibration-told").textContent =
    `On average ${percent(sum("confidence"))} confident, and ${percent(sum("accuracy"))} right; on the line both are the same.`;
}

modules["pictures/calibration"] = { calibration };
