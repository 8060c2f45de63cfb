// What a state asks of the matrix, and the controls that change it.

const { change } = modules.address;
const { page } = modules.data;
const { byId, fillSelect } = modules.elements;
const { anyOf, classesOf, conditionsOf, EDGE, POSITIONS } = modules["matrix/counting"];
const { ORDERS } = modules["matrix/orders"];
const { VIEWS, viewsOf } = modules["matrix/views"];

const SELECTS = ["view", "order", "other", "speaker", "left", "right", "position", "class", "partners"];
const KEYS = [...SELECTS, "diagonal", "rare"];

/** The choice that a state makes, for a corpus and perhaps a second one; what there is not is not chosen. */
function choiceOf(state, corpus, other, tests) {
  const conditions = conditionsOf(state);
  return {
    corpus,
    other,
    tests,
    conditions,
    view: viewKey(state.view, other ? [corpus, other] : [corpus], anyOf(conditions)),
    order: ORDERS[state.order] ? state.order : "chart",
    class: corpus.classes[state.class] ? state.class : "",
    partners: [...corpus.gold, ...corpus.predicted].includes(state.partners) ? state.partners : "",
    diagonal: state.diagonal === "hidden",
    rare: Math.max(0, Math.round(Number(state.rare)) || 0),
  };
}

/** The view of that key, or p(predicted | gold) where there is none. */
function viewKey(key, corpora, conditioned) {
  const none = viewsOf(corpora, conditioned).find(([known]) => known === key)?.[2];
  return VIEWS[key] && !none ? key : "probability";
}

/** Fills the controls; each changes the address. */
function fillControls(state, chosen) {
  const { corpus, other, conditions } = chosen;
  const { speakers } = corpus.alignments;
  const names = (all, each) => [["", all], ...each.map((name) => [name, name])];
  const others = page.corpora.filter(({ name }) => name !== corpus.name);
  const classes = Object.keys(classesOf(corpus));
  const neighbours = [
    ...names("any", classes),
    [EDGE, "the utterance’s edge"],
    ...corpus.gold.map((phone) => [phone, phone]),
  ];
  const listed = [...new Set(speakers)].filter(Boolean).sort();
  fillSelect(byId("view"), viewsOf(other ? [corpus, other] : [corpus], anyOf(conditions)), chosen.view);
  fillSelect(byId("order"), Object.entries(ORDERS), chosen.order);
  fillSelect(
    byId("other"),
    [["", "no other corpus"], ...others.map(({ name, title }) => [name, title])],
    other?.name ?? "",
  );
  fillSelect(byId("speaker"), names("all", listed), conditions.speaker);
  fillSelect(byId("left"), neighbours, conditions.left);
  fillSelect(byId("right"), neighbours, conditions.right);
  fillSelect(byId("position"), names("any", POSITIONS), conditions.position);
  fillSelect(byId("class"), names("all", Object.keys(corpus.classes)), chosen.class);
  byId("speaker").disabled = listed.length === 0;
  byId("other").disabled = others.length === 0;
  byId("diagonal").checked = chosen.diagonal;
  for (const [name, value] of [
    ["partners", state.partners ?? ""],
    ["rare", chosen.rare || ""],
  ]) {
    if (byId(name).value !== String(value)) byId(name).value = value;
  }
  const phones = [...new Set([...corpus.gold, ...corpus.predicted])];
  byId("phones").replaceChildren(...phones.map((phone) => new Option(phone, phone)));
  byId("fewer").open ||= anyOf(conditions) || Boolean(chosen.class || state.partners || chosen.diagonal || chosen.rare);
  for (const name of [...SELECTS, "rare"]) byId(name).oninput = ({ target }) => change({ [name]: target.value });
  byId("diagonal").oninput = ({ target }) => change({ diagonal: target.checked ? "hidden" : "" });
}

modules["matrix/choice"] = { choiceOf, fillControls, KEYS };
