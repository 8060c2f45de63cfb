// Whether confidences are right: how often phones of each confidence are right.

const [CHART_SIDE, CHART_EDGE] = [360, 64]; // pixels

async function showCalibration(_, corpus) {
  const bins = (await readTable(`${corpus.name}/calibration`)).rows.filter(({ n }) => number(n) > 0);
  byId("calibration-section").hidden = bins.length === 0;
  if (!bins.length) return;
  const x = (share) => CHART_EDGE + share * (CHART_SIDE - CHART_EDGE - 24);
  const y = (share) => CHART_SIDE - 48 - share * (CHART_SIDE - CHART_EDGE - 24);
  const most = Math.max(...bins.map(({ n }) => number(n)));
  const ticks = [0, 0.5, 1].flatMap((share) => [
    shape("text", { class: "axis", x: x(share), y: CHART_SIDE - 30 }, percent(share)),
    shape("text", { class: "axis", x: CHART_EDGE - 22, y: y(share) + 4 }, percent(share)),
  ]);
  const marks = bins.flatMap(({ confidence, accuracy, accuracy_low: low, accuracy_high: high, n }) => {
    const told = `${n} tokens: confidence ${percent(number(confidence))}, right ${percent(number(accuracy))}`;
    const r = 2 + 6 * Math.sqrt(number(n) / most);
    const range = { class: "amount", d: `M${x(confidence)} ${y(number(low) || 0)}V${y(number(high) || 0)}` };
    return [
      shape("path", range),
      shape("circle", { class: "amount", cx: x(confidence), cy: y(accuracy), r }, shape("title", {}, told)),
    ];
  });
  byId("calibration").setAttribute("viewBox", `0 0 ${CHART_SIDE} ${CHART_SIDE}`);
  byId("calibration").replaceChildren(
    shape("path", { class: "edge", d: `M${x(0)} ${y(1)}V${y(0)}H${x(1)}` }),
    shape("path", { class: "diagonal", d: `M${x(0)} ${y(0)}L${x(1)} ${y(1)}` }),
    ...ticks,
    shape("text", { class: "axis", x: x(0.5), y: CHART_SIDE - 8 }, "confidence"),
    shape("text", { class: "axis", x: 12, y: y(0.5), transform: `rotate(-90 12 ${y(0.5)})` }, "share right"),
    ...marks,
  );
  const tokens = bins.reduce((sum, { n }) => sum + number(n), 0);
  const mean = (name) => percent(bins.reduce((sum, bin) => sum + (number(bin.n) * number(bin[name])) / tokens, 0));
  byId("calibration-told").textContent =
    `On average ${mean("confidence")} confident, and ${mean("accuracy")} right; on the line both are the same.`;
}
