// Hear it: audio from a folder that the reader chooses, played in the page. Nothing is sent, and nothing is stored.

const AUDIO = /\.(wav|flac|mp3|ogg|opus|m4a)$/i;

let files = []; // all that were chosen
let context = null;
let playing = null;
let audioOf = once(match); // of a corpus: the file of each utterance that has one
let turns = 0; // of playing: a later one ends an earlier one that is not ready

/** Fills the field for a folder; `shownAgain` draws the buttons that the new files make possible. */
function offerAudio(corpus, shownAgain) {
  const field = byId("audio-folder");
  field.onchange = () => {
    stop();
    files = [...field.files].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
    audioOf = once(match);
    shownAgain();
  };
  byId("audio-matched").textContent = files.length ? matched(corpus) : "Nothing is sent anywhere.";
  byId("audio-stop").onclick = stop;
}

/** A button that plays a pair of an utterance, or all of it; null where there is no audio, or the pair has no times. */
function playButton(corpus, u, place = null) {
  const file = audioOf(corpus).get(corpus.alignments.ids[u]);
  const times = place === null ? null : timesAt(corpus.alignments, place);
  if (!file || Number.isNaN(times?.[1])) return null;
  const name = place === null ? "the utterance" : `gold ${phonesAt(corpus, place).join(" predicted as ")}`;
  const button = element("button", { type: "button", class: "play", "aria-label": `Play ${name}` }, "▶");
  button.onclick = () => play(file, times);
  return button;
}

/** Finds the files that are called as an utterance, in whatever folder they are. */
function match(corpus) {
  const ids = new Set(corpus.alignments.ids);
  const own = new Map();
  for (const file of files) {
    const parts = pathOf(file).replace(AUDIO, "").split("/");
    const names = parts.map((_, place) => parts.slice(place).join("/")); // a name may hold folders
    const id = AUDIO.test(file.name) && names.find((name) => ids.has(name));
    if (id && !own.has(id)) own.set(id, file);
  }
  return own;
}

const pathOf = (file) => file.webkitRelativePath || file.name;

function matched(corpus) {
  const { ids } = corpus.alignments;
  const audio = files.filter(({ name }) => AUDIO.test(name));
  if (!audio.length) return "This folder has no audio: files that end in .wav, .flac, .mp3 or .ogg.";
  const known = audioOf(corpus);
  if (known.size)
    return `Audio of ${known.size} of ${ids.length} utterances of ${corpus.title}. Nothing is sent anywhere.`;
  const names = `${cut(audio[0].name, LONGEST_LINE)} and ${cut(ids[0] ?? "", LONGEST_LINE)}`;
  return `No file is called as an utterance of ${corpus.title}: compare ${names}. Rename the files to the utterances’ names.`;
}

async function play(file, times) {
  stop();
  const turn = ++turns;
  tellAudio(`Reading ${file.name} …`);
  const sound = await decoded(file);
  if (turn !== turns) return;
  if (!sound) return tellAudio(`This browser cannot read ${file.name}. Convert it, for example to WAV with 16 bits.`);
  const [start, end] = times ?? [0, sound.duration];
  if (start >= sound.duration)
    return tellAudio(`The phone begins at ${start} s, but ${file.name} ends at ${sound.duration.toFixed(2)} s.`);
  playing = new AudioBufferSourceNode(context, { buffer: sound });
  playing.connect(context.destination);
  playing.onended = () => turn === turns && stop();
  playing.start(0, start, end - start);
  byId("audio-stop").hidden = false;
  return tellAudio(`Playing ${pathOf(file)}, ${start.toFixed(2)} to ${Math.min(end, sound.duration).toFixed(2)} s.`);
}

/** The samples of a file; null where the browser cannot read it. */
async function decoded(file) {
  context ??= new AudioContext();
  await context.resume();
  return context.decodeAudioData(await file.arrayBuffer()).catch(() => null);
}

function stop() {
  turns += 1;
  playing?.stop();
  playing = null;
  byId("audio-stop").hidden = true;
  tellAudio("");
}

const tellAudio = (text) => byId("audio-told").replaceChildren(text);
