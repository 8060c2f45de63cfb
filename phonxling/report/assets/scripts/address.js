// The address is the state: #corpus=yoruba&view=excess&gold=k͡p&predicted=k. A link to a state is a link like any other.

const AT = { measure: "numbers", table: "tables", part: "further", errors: "matrix" };
const OF_UTTERANCES = ["utterance", "search", "sort", "by"];
const IN_PLACE = ["corpus", "phone", "first"]; // what is shown where the reader is
// a reader who opens an address, or follows a link, is taken to its section; one who reloads or goes back is not
let arriving = performance.getEntriesByType("navigation")[0]?.type === "navigate";

let state = {};
const shownNow = {}; // what the page shows although its address does not name it: an address that a reader passes on does

/** The state that the address holds; one that names a place of the page (#def-wper) leaves the state as it was. */
function readState() {
  if (location.hash.includes("=")) state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  else if (location.hash === "") state = {};
  return state;
}

/** The address of a state; what is empty is left out. */
function addressOf(wanted) {
  const given = Object.entries(wanted).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return `#${new URLSearchParams(given)}`;
}

/** The section that a state leads to: the one that it names (at=map), or that its other names belong to; "" for none. */
function sectionOf(wanted) {
  if (wanted.at) return wanted.at;
  const named = Object.keys(AT).find((name) => wanted[name] !== undefined);
  if (named) return AT[named];
  if (OF_UTTERANCES.some((name) => wanted[name] !== undefined)) return "utterances";
  return Object.keys(wanted).every((name) => IN_PLACE.includes(name)) ? "" : "matrix";
}

/** Changes the state. A step can be gone back; a change of a control replaces what it changes. */
function change(changes, { step = false, arrive = false } = {}) {
  arriving = arrive;
  const next = addressOf({ ...readState(), ...shownNow, ...changes });
  setReady(`#${location.hash.slice(1)}` === next);
  if (step) location.hash = next;
  else location.replace(next);
}

/** Says in the document whether the page shows what its address holds: data-ready is yes, or no for a moment. */
function setReady(ready) {
  document.documentElement.dataset.ready = ready ? "yes" : "no";
}

/** Calls `show(state, arrived)` for the state of now and for every later one, one after the other. */
function followAddress(show) {
  let last = Promise.resolve();
  const shown = () => {
    const arrived = arriving && location.hash.includes("=");
    arriving = false;
    setReady(false);
    const own = last.then(() => show(readState(), arrived)); // the newest state, should another one wait behind it
    const next = own.catch(() => {});
    last = next;
    return own.then(() => setReady(last === next));
  };
  addEventListener("hashchange", shown);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    const hash = link && new URL(link.getAttribute("href"), location.href).hash; // a link in a picture has no hash itself
    if (!hash?.includes("=") || event.ctrlKey || event.metaKey || event.shiftKey) return; // those open another window
    arriving = true;
    if (hash === location.hash) shown();
    else setReady(false);
  });
  return shown();
}

/** Names of a state with nothing chosen. */
const emptied = (names) => Object.fromEntries(names.map((name) => [name, ""]));

/** What a section shows of a state, as a text. */
const keyOf = (corpus, names, state) => JSON.stringify([corpus.name, ...names.map((name) => state[name] ?? "")]);
