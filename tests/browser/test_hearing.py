"""Audio that a reader chooses is matched by name and played at the times of the table, and nothing else is let in."""

import wave
from pathlib import Path

import numpy as np
import pytest
from pages import Opener, at, table
from playwright.sync_api import Page, expect

RATE = 8000
UTTERANCE = "yoruba_05"
AT = f"#corpus=yoruba&utterance={UTTERANCE}"
# what is played is noted beside playing it: where in the file, how long, and whether the browser has said that it ended
NOTE = """() => {
  window.played = [];
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function (when, from, lasting) {
    const note = { from, lasting, whole: this.buffer.duration, ended: false };
    window.played.push(note);
    this.addEventListener("ended", () => { note.ended = true; });
    return start.call(this, when, from, lasting);
  };
}"""


def write_sound(file: Path, seconds: float) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    samples = (8000 * np.sin(np.arange(int(seconds * RATE)) * 0.3)).astype("<i2")
    with wave.open(str(file), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes(samples.tobytes())


def choose_folder(page: Page, folder: Path) -> str:
    page.evaluate(NOTE)
    page.set_input_files("#audio-folder", folder)
    expect(page.locator("#audio-matched")).not_to_have_text("Nothing is sent anywhere.")
    return page.inner_text("#audio-matched")


def last_played(page: Page, number: int) -> dict[str, float]:
    """Return the note on what was played last, once so many have ended."""
    for _ in range(400):
        notes: list[dict[str, float]] = page.evaluate("window.played")
        if len(notes) == number and notes[-1]["ended"]:
            return notes[-1]
        page.wait_for_timeout(25)
    raise AssertionError(f"{number} were not played: {notes}")


def test_an_utterance_and_its_pairs_are_played_at_their_times(results: Path, tmp_path: Path, report: Opener) -> None:
    write_sound(tmp_path / "audio/first" / f"{UTTERANCE}.wav", 0.9)
    write_sound(tmp_path / "audio/second/deeper/yoruba_06.WAV", 0.5)
    write_sound(tmp_path / "audio/elsewhere.wav", 0.5)
    page = report(AT)
    assert page.locator(".play").count() == 0
    assert choose_folder(page, tmp_path / "audio").startswith("Audio of 2 of 24 utterances")
    page.click("#utterance-play .play")
    whole = last_played(page, 1)
    assert (whole["from"], whole["lasting"], whole["whole"]) == pytest.approx((0, 0.9, 0.9), abs=1e-6)
    rows = table(results, "alignments", "yoruba").query("utterance == @UTTERANCE")
    for place, (start, end) in enumerate(zip(rows["gold_start"], rows["gold_end"], strict=True)):
        page.locator("#utterance-pairs .pairs li").nth(place).locator(".play").click()
        segment = last_played(page, place + 2)
        assert (segment["from"], segment["lasting"]) == pytest.approx((start, end - start), abs=0.0101)
    page.wait_for_selector("#audio-stop", state="hidden")
    assert page.inner_text("#audio-told") == ""


def test_a_folder_without_matching_audio_says_what_to_do(tmp_path: Path, report: Opener) -> None:
    page = report(AT)
    write_sound(tmp_path / "other" / "<img src=x onerror=alert(1)>.wav", 0.1)
    words = choose_folder(page, tmp_path / "other")
    assert "compare <img src=x onerror=alert(1)>.wav and yoruba_00" in words
    assert page.locator("img").count() == 0


def test_audio_that_cannot_be_played_is_said_so_and_what_plays_can_be_stopped(tmp_path: Path, report: Opener) -> None:
    page = report(AT)
    write_sound(tmp_path / "audio/yoruba_05.wav", 0.01)
    write_sound(tmp_path / "audio/yoruba_07.wav", 60)
    (tmp_path / "audio/yoruba_06.wav").write_bytes(b"RIFF and nothing of it")
    choose_folder(page, tmp_path / "audio")
    page.locator("#utterance-pairs .play").last.click()
    expect(page.locator("#audio-told")).to_contain_text("ends at 0.01 s")
    for name, words in (
        ("yoruba_06", "cannot read yoruba_06.wav"),
        ("yoruba_07", "Playing audio/yoruba_07.wav, 0.00 to"),
    ):
        at(page, f"#corpus=yoruba&utterance={name}")
        page.click("#utterance-play .play")
        expect(page.locator("#audio-told")).to_contain_text(words)
    page.click("#audio-stop")
    expect(page.locator("#audio-stop")).to_be_hidden()
