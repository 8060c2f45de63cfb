"""The configuration: what loads, what it becomes, and what every mistake says."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from support import error_of, write

from phonxling.configuration.reading import Experiment, json_schema, load_configuration, resolve_settings
from phonxling.core.errors import ConfigurationError

MINIMAL = "corpora: {yoruba: {gold: gold.tsv, predicted: predicted.tsv}}\n"
COMPLETE = """\
name: english-to-yoruba
corpora:
  english:
    role: reference
    gold:       ../data/english/gold.tsv
    predicted:  {path: ../data/english/predicted.tsv, symbols: timit61}
    posteriors: {path: ../data/english/posteriors.npz, symbols: timit61, scale: probability, frame_shift: 0.01}
  yoruba:
    gold:       {path: ../data/yoruba/gold.tsv, columns: {utterance: sample, phones: gold_yoruba_ipa}}
    predicted:  {path: ../data/yoruba/predicted.tsv, symbols: ../maps/own.tsv, silence: keep}
"""

Load = Callable[..., Experiment]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Load a text as the file a.yaml of the current folder, so that messages begin with `a.yaml:`."""
    monkeypatch.chdir(tmp_path)

    def loaded(text: str, *overrides: str, name: str = "a.yaml") -> Experiment:
        Path(name).write_text(text, encoding="utf-8")
        return load_configuration(Path(name), overrides)

    return loaded


def problems(load: Load, text: str, *overrides: str, name: str = "a.yaml") -> list[str]:
    headline, *lines = error_of(ConfigurationError, load, text, *overrides, name=name).splitlines()
    assert re.fullmatch(rf"{name}.*: {len(lines)} problems?:", headline)
    return [line.strip() for line in lines]


def error(load: Load, text: str, *overrides: str) -> str:
    return error_of(ConfigurationError, load, text, *overrides)


class TestWhatLoads:
    def test_paths_count_from_the_file_and_rules_of_a_file_go_before_those_of_all(self, tmp_path: Path) -> None:
        write(tmp_path / "maps/own.tsv", "symbol\tipa\n")
        path = write(tmp_path / "configs/a.yaml", COMPLETE)
        experiment = load_configuration(path)
        english, yoruba = experiment.corpora["english"], experiment.corpora["yoruba"]
        assert english.gold.path == tmp_path / "data/english/gold.tsv"
        assert (english.posteriors.frame_shift, english.posteriors.symbols) == (0.01, "timit61")
        assert yoruba.predicted.symbols == tmp_path / "maps/own.tsv"
        assert yoruba.gold.columns == {"utterance": "sample", "phones": "gold_yoruba_ipa"}
        assert experiment.symbols.of(yoruba.predicted).silence == "keep"
        assert experiment.symbols.of(yoruba.gold) == experiment.symbols

    def test_a_plain_string_is_short_for_a_path_and_the_name_is_the_stem(self, load: Load, tmp_path: Path) -> None:
        assert [*load(MINIMAL.replace("yoruba", "O\u0323\u0300yo\u0301")).corpora] == ["\u1ecc\u0300y\u00f3"]
        experiment = load(MINIMAL, name="yorùbá-2.yaml")
        assert experiment.name == "yorùbá-2"
        corpus = experiment.corpora["yoruba"]
        assert (corpus.gold.path, corpus.gold.symbols, corpus.role) == (tmp_path / "gold.tsv", "ipa", "target")


class TestProblems:
    def test_all_at_once(self, load: Load) -> None:
        text = (
            "corpora:\n"
            "  english: {role: refernce, gold: a, predicted: b}\n"
            "  yoruba:\n"
            "    gold: {symbols: ipa}\n"
            "alignment:\n"
            "  kosts: unit\n"
            "  insertion: -1\n"
            "map: {metric: hellinger, method: tsne}\n"
            "aligment: {}\n"
        )
        assert {*problems(load, text, "seed=x")} == {
            "corpora.english.role: must be reference or target, not 'refernce'; did you mean 'reference'?",
            "corpora.yoruba: needs at least one of predicted and posteriors",
            "corpora.yoruba.gold.path: missing: a file needs its path",
            "alignment.kosts: unknown key; did you mean 'costs'?",
            "alignment.insertion: must be auto or a number of at least 0, not -1",
            "map.method: must be umap or pca, not 'tsne'",
            "aligment: unknown key; did you mean 'alignment'?",
            "seed: must be a whole number of at least 0, not 'x'",
        }

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("costs: unit", "costs: unknown key; did you mean 'alignment.costs'?"),
            ("method: pca", "method: unknown key; did you mean 'decoding.method' or 'map.method'?"),
            ("contrasts: [[p, p]]", "contrasts: a pair has two different phones, not p and p"),
            ("seed: '20'", "seed: must be a whole number of at least 0, not '20' (in quotes it is a text)"),
            ("name: 12", "name: must be a text, not 12; put it in quotes"),
            ("alignment: {costs: ./own.tsv}", "alignment.costs: there is no table of costs "),
            ("alignment: {insertion: atuo}", "must be auto or a number of at least 0, not 'atuo'; did you mean 'auto'"),
            ("pairing: {allow_unpaired: 1}", "must be a number of at least 0 and below 1, not 1"),
            ("entropy: {estimators: ml}", "entropy.estimators: must be a list: write [ml]"),
            ("expected: {allow_other_recogniser: yes}", "expected.allow_other_recogniser: must be true or"),
            ("classes: {nasal: nas}", "classes.nasal: 'nas' is not a feature with its sign (+, - or 0)"),
            ("classes: {stops: -cont}", "classes.stops: 'stops' is the name of a default class"),
            ("figures: {width: 84 km}", "must be a width such as 84 mm, 8.4 cm or 3.3 in, not '84 km'"),
            ("corpora: {}", "corpora: needs at least one corpus"),
            ("report:", "report: must be a mapping of settings, not nothing (null)"),
        ],
    )
    def test_a_section(self, load: Load, line: str, message: str) -> None:
        (found,) = problems(load, line if line.startswith("corpora") else MINIMAL + line)
        assert message in found

    @pytest.mark.parametrize(
        ("corpus", "message"),
        [
            ("{predicted: p}", "corpora.x.gold: missing: every corpus needs gold"),
            ("{gold: 's3://b/g.tsv', predicted: p}", "corpora.x.gold.path: is a URL: download the file first, and"),
            ("{gold: {path: g, scale: logit}, predicted: p}", "corpora.x.gold.scale: has no meaning for gold; it "),
            ("{gold: g, predicted: p, costs: unit}", "corpora.x.costs: unknown key; did you mean 'alignment.costs'?"),
            ("{gold: g, predicted: p, blank: _}", "blank: has no meaning for a corpus; it belongs to posteriors"),
            ("{gold: g, posteriors: {path: p, format: hdf}}", "must be npz, npy, hdf5, kaldi-ark, safetensors or npy-"),
            ("{gold: {path: g, symbols: XSAMPA}, predicted: p}", "not 'XSAMPA'; did you mean 'xsampa'?"),
            (
                "{gold: {path: g, symbols: [timit61, arpabet]}, predicted: p}",
                "must be the path of a table laid over it",
            ),
            ("{gold: {path: g, columns: {uterance: u}}, predicted: p}", "gold.columns.uterance: must be utterance,"),
            ("{gold: g, predicted: p, language: en}", "corpora.x.language: must be the ISO 639-3 code"),
            ("5", "corpora.x: must be a mapping of settings, not 5"),
            ("{recogniser: {inventory: cmu}, gold: g, predicted: p}", "not 'cmu'; phones of your own are a list"),
        ],
    )
    def test_a_corpus(self, load: Load, corpus: str, message: str) -> None:
        (found,) = problems(load, f"corpora: {{x: {corpus}}}")
        assert message in found

    def test_the_names_and_roles_of_corpora(self, load: Load) -> None:
        file = "gold: g, predicted: p"
        text = (
            f"corpora:\n  a: {{role: reference, {file}}}\n  b: {{{file}, role: reference}}\n  A: {{{file}}}\n"
            f"  a/b: {{{file}}}\n  Figures: {{{file}}}\n"
        )
        starts = [
            "corpora.A: differs from 'a' in capitals or forms",
            "corpora.b.role: at most one",
            "corpora.a/b: 'a/b' cannot name",
        ]
        found = problems(load, text)
        assert [line[: len(start)] for line, start in zip(found, starts, strict=True)] == starts

    plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
    values = st.recursive(
        plain, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner)
    )
    keys = st.sampled_from(
        [
            *Experiment.model_fields,
            *(f"corpora.a.{key}" for key in ("gold", "role", "posteriors")),
            "corpora.a.gold.symbols",
            "corpora.a.posteriors.labels",
            "entropy.estimators",
            "seed.x",
        ]
    )

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    @given(keys, values)
    def test_any_value_anywhere_is_taken_or_refused_in_our_words(self, load: Load, key: str, value: object) -> None:
        text = "corpora: {a: {gold: g, predicted: p, posteriors: {path: q}}}"
        try:
            load(text, f"{key}={json.dumps(value)}")
        except ConfigurationError as caught:
            message = str(caught)
            assert message.startswith("a.yaml: ")
            for jargon in ("Input should", "Value error", "validation error", "pydantic", "Extra inputs"):
                assert jargon not in message


class TestExtends:
    def test_mappings_merge_and_lists_and_scalars_replace(self, load: Load, tmp_path: Path) -> None:
        (tmp_path / "base").mkdir()
        (tmp_path / "base/b.yaml").write_text(
            "extends: c.yaml\nentropy: {estimators: [ml, nsb], gaps: include}\ncorpora: {x: {gold: g.tsv}}",
            encoding="utf-8",
        )
        (tmp_path / "base/c.yaml").write_text(
            "seed: 7\nalignment: {costs: unit, ties: nist}\ncorpora: {x: {gold: {path: h, tone: strip}, predicted: p}}",
            encoding="utf-8",
        )
        experiment = load(
            "extends: base/b.yaml\nentropy: {estimators: [ml]}\nalignment: {costs: sclite}\n"
            "corpora: {x: {predicted: q.tsv}}"
        )
        assert (experiment.name, experiment.seed) == ("a", 7)
        assert (experiment.entropy.estimators, experiment.entropy.gaps) == (("ml",), "include")
        assert (experiment.alignment.costs, experiment.alignment.ties) == ("sclite", "nist")
        corpus = experiment.corpora["x"]
        assert (corpus.gold.path, corpus.gold.tone) == (tmp_path / "base/g.tsv", "strip")
        assert corpus.predicted.path == tmp_path / "q.tsv"

    def test_null_takes_an_inherited_file_away(self, load: Load, tmp_path: Path) -> None:
        (tmp_path / "b.yaml").write_text("corpora: {x: {gold: g, predicted: p, posteriors: q}}", encoding="utf-8")
        assert load("extends: b.yaml\ncorpora: {x: {posteriors: null}}").corpora["x"].posteriors is None

    def test_problems_name_the_files(self, load: Load, tmp_path: Path) -> None:
        (tmp_path / "b.yaml").write_text(f"{MINIMAL}seed: -1\nreport: {{html: 1}}\nzzzz: 1", encoding="utf-8")
        told = error(load, "extends: b.yaml\nreport: {x: 1, html: 2}")
        assert told.startswith("a.yaml (extends b.yaml): 4 problems:\n")
        for key in ("seed", "report.html", "report.x", "zzzz"):
            assert f"\n  {key}: " in told

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("seed: 1\nextends: b.yaml", "b.yaml: extends: the files extend each other in a circle: a.yaml → b.yaml →"),
            ("extends: no.yaml", "a.yaml: extends: there is no file no.yaml"),
            ("extends: [b.yaml]", "a.yaml: extends: must be the path of a configuration, not a list"),
        ],
    )
    def test_what_cannot_be_extended(self, load: Load, tmp_path: Path, text: str, message: str) -> None:
        (tmp_path / "b.yaml").write_text("extends: ./a.yaml", encoding="utf-8")
        assert error(load, text).startswith(message)


class TestOverrides:
    def test_they_are_yaml_and_the_last_has_its_way(self, load: Load) -> None:
        experiment = load(
            f"{MINIMAL}seed: 1\nalignment: {{ties: nist}}", "seed=2", "seed=3", "alignment.costs=unit",
            "entropy.estimators=[ml]", "figures={width: 9 cm}", "corpora.yoruba.language=nor",
        )  # fmt: skip
        assert (experiment.seed, experiment.alignment.costs, experiment.alignment.ties) == (3, "unit", "nist")
        assert (experiment.entropy.estimators, experiment.figures.width) == (("ml",), 90)

    def test_paths_count_from_the_current_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "configs").mkdir()
        (tmp_path / "configs/a.yaml").write_text(MINIMAL, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        corpus = load_configuration(Path("configs/a.yaml"), ["corpora.yoruba.gold=data/g.tsv"]).corpora["yoruba"]
        assert corpus.gold.path == tmp_path / "data/g.tsv"
        assert corpus.predicted.path == tmp_path / "configs/predicted.tsv"

    def test_a_corpus_whose_name_holds_a_dot(self, load: Load) -> None:
        assert load("corpora: {v1.2: {gold: g, predicted: p}}", "corpora.v1.2.role=reference").corpora["v1.2"].role == (
            "reference"
        )

    @pytest.mark.parametrize(
        ("override", "message"),
        [
            ("corpora.yorba.gold=x", "corpora.yorba: unknown corpus; did you mean 'yoruba'?"),
            ("seed", "--set seed: write --set key.path=value"),
            ("seed=[1", "--set seed: this is not valid YAML"),
            ("corpora.yoruba.speakers.pattern={speaker}_*", "a text that begins with { or [ needs quotes around it"),
            ("seed=!!python/none x", "--set seed: the tag tag:yaml.org,2002:python/none"),
            ("extends=b.yaml", "--set extends: must be written in a file"),
        ],
    )
    def test_what_is_wrong_names_the_key_or_the_override(self, load: Load, override: str, message: str) -> None:
        assert message in error(load, MINIMAL, override)

    def test_a_corpus_may_be_added(self, load: Load, tmp_path: Path) -> None:
        new = ["corpora.twi.gold=g.tsv", "corpora.twi.predicted={path: p.tsv, symbols: arpabet}"]
        experiment = load(MINIMAL, *new, 'corpora.twi.speakers.pattern="{speaker}_*"')
        assert [*experiment.corpora] == ["yoruba", "twi"]
        twi = experiment.corpora["twi"]
        assert (twi.gold.path, twi.predicted.symbols, twi.speakers.pattern) == (
            tmp_path / "g.tsv", "arpabet", "{speaker}_*"
        )  # fmt: skip


class TestResolved:
    def test_it_is_plain_json_and_carries_no_machine(self, tmp_path: Path) -> None:
        found = []
        for machine in ("one", "another/machine"):
            folder = tmp_path / machine / "configs"
            folder.mkdir(parents=True)
            (folder / "own.tsv").touch()
            text = (
                "corpora: {x: {gold: {path: ../data/g.tsv, symbols: ./own.tsv}, posteriors: {path: p, labels: l.txt}}}"
            )
            (folder / "a.yaml").write_text(text, encoding="utf-8")
            found.append(json.dumps(resolve_settings(load_configuration(folder / "a.yaml"))))
        assert found[0] == found[1]
        corpus = json.loads(found[0])["corpora"]["x"]
        assert (corpus["gold"]["path"], corpus["gold"]["symbols"]) == ("../data/g.tsv", "own.tsv")
        assert (corpus["posteriors"]["labels"], corpus["posteriors"]["symbols"]) == ("l.txt", "ipa")

    @pytest.mark.parametrize("text", ["toy", "{name: toy}", "{name: toy, inventory: [p, t]}", "{inventory: ./p.txt}"])
    def test_a_recogniser_is_a_name_or_a_mapping(self, load: Load, tmp_path: Path, text: str) -> None:
        (tmp_path / "p.txt").write_text("p\n", encoding="utf-8")
        once = load(MINIMAL.replace("{gold", f"{{recogniser: {text}, gold"))
        again = load(json.dumps(resolve_settings(once)))
        assert again.corpora == once.corpora
        recogniser = once.corpora["yoruba"].recogniser
        assert recogniser.name == (None if "./p" in text else "toy")
        changed = load(
            MINIMAL.replace("{gold", f"{{recogniser: {text}, gold"), "corpora.yoruba.recogniser.inventory=timit39"
        )
        assert changed.corpora["yoruba"].recogniser == recogniser.model_copy(update={"inventory": "timit39"})

    def test_another_name_does_not_keep_an_inventory(self, load: Load) -> None:
        text = MINIMAL.replace("{gold", "{recogniser: {name: toy, inventory: arpabet}, gold")
        recogniser = load(text, "corpora.yoruba.recogniser=other").corpora["yoruba"].recogniser
        assert (recogniser.name, recogniser.inventory) == ("other", None)


class TestSchema:
    def test_every_key_has_a_description_and_none_more_is_allowed(self) -> None:
        schema = json_schema()
        json.dumps(schema)
        for part in [schema, *schema["$defs"].values()]:
            assert part["additionalProperties"] is False
            assert "description" in part
            assert [key for key, field in part["properties"].items() if not {"description", "$ref"} & set(field)] == []
