"""The command line: each command calls one function. Heavy imports wait until a command needs them.

How a command begins and ends: output that takes IPA, errors as messages, exit codes.
"""

import errno
import io
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError, escape_unprintable, from_here
from phonxling.version import __version__

_COSTS = (
    "panphon, panphon-weighted, panphon-edit, panphon-hamming, panphon-nonzero, unit, sclite, "
    "or the path of a TSV (gold, predicted, cost)."
)
_SYMBOLS = "Symbol sets, TSV files, or a set with a TSV over it: timit61+extra.tsv."
_INVENTORY = "The recogniser’s phones: arpabet, timit61, timit48, timit39, a file, or a text with spaces between."
_SET = "Any setting of a configuration, such as symbols.tone=strip; may be repeated."
_CANONICAL = "What should be said, where gold is what learners said; read as gold is."
_LIKE = "Print that program's table instead, of phones as that program reads them."
_LABELS = "File of the columns' labels, one per line, if the posteriors have none."
_ONE_SET = "Symbol set of the labels, a TSV file, or a set with a TSV over it."
_PAIRED = "In pairs or not; auto: in pairs where the utterances are the same."
_RECOMPUTE = "Compute every table anew and compare it byte for byte."
_FRESH = "Compute and draw everything anew, whatever an earlier run has finished."
_DETAILS = "Also phones, costs, and what became of symbols."
_DIFFERENT = "Compare numbers that are not defined alike, and mark them."
_COMPARISON, _COMPARED = "Folder of the comparison.", "results/<a>-against-<b>"
_LASTING = "How long a run of frames must last, without a blank."
_OUTPUT = ("--output", "-o")
_CORES = os.cpu_count() or 1
_RANGE = r"; x>=\d+(?=\])|  \[x>=\d+\]"  # what Typer says of a number's least value


class _Group(TyperGroup):
    """All commands; the help has the whole first sentence of each."""

    def format_commands(self, _: Any, formatter: Any) -> None:  # noqa: ANN401 - of click, which Typer may bring itself
        with formatter.section("Commands"):
            formatter.write_dl([(name, (one.help or "").partition("\n\n")[0]) for name, one in self.commands.items()])


class _Command(TyperCommand):
    """A command whose help names arguments by what they are, without types."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # noqa: ANN401 - as click declares it
        try:
            check_memory()
            return super().invoke(ctx)
        except KeyboardInterrupt:  # before click ends the process in its own words
            end_interrupted()

    def parse_args(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as above
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:  # of newer versions of Typer in pydantic's words
            text = re.sub("Value error, |valid (?=number)|, unable to parse.*", "", error.message)
            error.message = text.replace("Input should be", "must be").replace("valid integer", "whole number")
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - as above
        return [re.sub(r"[{}]", "", piece) for piece in super().collect_usage_pieces(ctx)]

    def help_records(self, ctx: Any, kind: str) -> list[tuple[str, str]]:  # noqa: ANN401 - as above
        records = (one.get_help_record(ctx) for one in self.get_params(ctx) if one.param_type_name == kind)
        types = r" <[^>]*>$" if kind == "argument" else r"[<>]"
        return [(re.sub(types, "", name), re.sub(_RANGE, "", text)) for name, text in filter(None, records)]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        for kind in ("argument", "option"):
            if records := self.help_records(ctx, kind):
                with formatter.section(f"{kind.title()}s"):
                    formatter.write_dl(records)


app = typer.Typer(
    name="phonxling",
    cls=_Group,
    help="Phonetic cross-lingual error analysis: which phones a recogniser of one language gets wrong in another.",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_Text = str | None
_Path = Path | None


def _option(words: str, metavar: str | None = None, *names: str, default: str = "") -> Any:  # noqa: ANN401 - Typer's own type is not public
    """Return an option; of a setting, what is not given is the section's default, which the help alone repeats."""
    text = f"{words}  [default: {default}]" if default else words
    return typer.Option(*names, help=text, metavar=metavar, show_default=not default)


def _argument(words: str, metavar: str) -> Any:  # noqa: ANN401 - as above
    return typer.Argument(help=words, metavar=metavar)


Config = Annotated[Path, _argument("The experiment's YAML file.", "CONFIG")]
Results = Annotated[Path, _argument("Folder of finished results.", "RESULTS")]
Kinds = Annotated[str, _option("Kinds of figures, or all; by default those of the run.", "KIND[,KIND…]")]
Settings = Annotated[list[str] | None, _option("Override a setting; may be repeated.", "KEY.PATH=VALUE", "--set")]
_WORKERS = "How many threads compute."
Workers = Annotated[int, typer.Option(min=1, help=_WORKERS, metavar="N")]
_ALL_WORKERS = f"{_WORKERS}  [default: as many as processors]"
AllWorkers = Annotated[int, typer.Option(min=1, help=_ALL_WORKERS, metavar="N", show_default=False)]
_SCHEDULER = "Compute on the workers of this Dask scheduler, such as tcp://host:8786."
Scheduler = Annotated[str | None, _option(_SCHEDULER, "ADDRESS")]
_QUIET = ("--quiet", "-q")
Quiet = Annotated[bool, typer.Option(*_QUIET, help="Print errors alone.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Every step, with its time.")]
Scale = Literal["probability", "log-probability", "logit"]
Paired = Literal["auto", "yes", "no"]
Program = Literal["phoneticxeus", "prism", "sclite", "kaldi"]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"phonxling {__version__}")
        raise typer.Exit


@app.callback()
def _take_common_options(
    _: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command(cls=_Command)
def run(
    config: Config,
    *,
    output: Annotated[_Path, _option("Folder of the results.", "FOLDER", *_OUTPUT, default="results/<name>")] = None,
    settings: Settings = None,
    workers: AllWorkers = _CORES,
    scheduler: Scheduler = None,
    fresh: Annotated[bool, typer.Option("--fresh", help=_FRESH)] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Run a whole experiment: load, align, count, measure, project, draw.

    Example: phonxling run configs/demo.yaml --set chance.replicates=5
    """
    from phonxling.configuration.reading import load_configuration
    from phonxling.console import Bar, headline
    from phonxling.core.work import Threads
    from phonxling.experiment.pipeline import run as run_experiment

    experiment = load_configuration(config, settings or [])
    folder = output or Path("results") / experiment.name
    with Bar(quiet=quiet, verbose=verbose) as bar:
        if scheduler is None:
            run_experiment(experiment, folder, Threads(workers), bar, fresh=fresh)
        else:
            from phonxling.results.dask import DaskWork

            with DaskWork(scheduler) as work:
                run_experiment(experiment, folder, work, bar, fresh=fresh)
    _print(headline(folder), quiet=quiet)


@app.command(cls=_Command)
def check(
    config: Config,
    settings: Settings = None,
    *,
    quiet: Quiet = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help=_DETAILS)] = False,
) -> None:
    """Check a configuration and its data, up to alignment; nothing is written.

    Example: phonxling check configs/demo.yaml
    """
    from phonxling.configuration.reading import load_configuration
    from phonxling.configuration.yaml_files import find_decisions
    from phonxling.console import Bar
    from phonxling.experiment.checking import all_lines, check_corpora

    try:
        experiment = load_configuration(config, settings or [])
        with Bar(quiet=quiet) as bar:
            bar.step("reading and checking the data")
            corpora, read = check_corpora(experiment)
            _print("\n".join(all_lines(corpora, experiment, read, verbose=verbose)), quiet=quiet)
    finally:
        if undecided := find_decisions(config):
            text = ["to decide; remove each comment when it is done:", *(f"  {each}" for each in undecided)]
            _print("\n".join(text), quiet=quiet)
    _print("no problems found", quiet=quiet)


@app.command(cls=_Command)
def score(
    gold: Annotated[str, _argument("File of gold phones.", "GOLD")],
    predicted: Annotated[str, _argument("File of predicted phones.", "PREDICTED")],
    *,
    symbols: Annotated[_Text, _option(_SYMBOLS, "GOLD,PREDICTED", default="ipa,ipa")] = None,
    speakers: Annotated[_Text, _option("Speakers: a TSV (utterance, speaker), or Kaldi's utt2spk.", "FILE")] = None,
    inventory: Annotated[_Text, _option(_INVENTORY, "SET|FILE|PHONES")] = None,
    form: Annotated[_Text, _option("Formats, where the files do not show them.", "GOLD,PREDICTED", "--format")] = None,
    columns: Annotated[_Text, _option("Column names: utterance=id,phones=ipa;phones=heard.", "GOLD;PREDICTED")] = None,
    tier: Annotated[_Text, _option("Tiers of phones, in TextGrid, EAF and CHAT.", "GOLD;PREDICTED")] = None,
    canonical: Annotated[_Text, _option(_CANONICAL, "FILE")] = None,
    costs: Annotated[_Text, _option(_COSTS, "NAME|FILE", default="panphon")] = None,
    like: Annotated[Program | None, _option(_LIKE)] = None,
    show: Annotated[int, typer.Option(min=0, help="Print the first N aligned utterances.", metavar="N")] = 0,
    output: Annotated[_Path, _option("Also write every number and table of the run here.", "FOLDER", *_OUTPUT)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every number, as one flat JSON object.")] = False,
    settings: Annotated[list[str] | None, _option(_SET, "KEY.PATH=VALUE", "--set")] = None,
    quiet: Annotated[bool, typer.Option(*_QUIET, help="Print errors alone; without --output the result, too.")] = False,
    verbose: Verbose = False,
) -> None:
    """Print the error rates of two files beside what chance would score: the numbers of a run.

    Example: phonxling score gold.tsv predicted.ctm --symbols ipa,timit61 --speakers speakers.tsv
    """
    from phonxling.console import Bar, score_lines
    from phonxling.core.work import Threads
    from phonxling.experiment.scoring import score_files

    symbols = symbols or ("ipa-panphon" if like in {"phoneticxeus", "prism"} else None)
    texts = {"symbols": symbols, "columns": columns, "form": form, "tier": tier, "canonical": canonical}
    configuration = _score_settings(gold, predicted, **texts, speakers=speakers, inventory=inventory, costs=costs)
    # Before anything is computed, which may take long.
    if output is not None:
        from phonxling.results.folder import check_folder

        check_folder(output, "score")
    given: dict[str, Any] = {"overrides": settings or [], "options": _SCORE_OPTIONS}
    with Bar(quiet=quiet, verbose=verbose) as bar:
        table = _table_like(like, configuration, given, as_json=as_json, say=bar.say) if like else ""
        if not table or output is not None:
            scored = score_files(configuration, Threads(_CORES), bar, **given)
    if output is not None:
        scored.write(output)
    if table or as_json:
        _echo(table or json.dumps(scored.to_dict(), ensure_ascii=False))
    elif output is None or not quiet:
        written = [] if output is None else [f"score: {output}"]
        _print("\n".join([*scored.aligned_lines(show), *score_lines(scored, chosen=bool(settings)), *written]))


_SIDES = ("gold", "predicted")
_OF_EACH_SIDE = ("path", "symbols", "columns", "format", "tier")
_SCORE = ("corpora", "score")
# What an error of a setting names instead of it: a person who calls `score` has written no setting.
_SCORE_OPTIONS: Mapping[tuple[str, ...], str] = {
    ("alignment", "costs"): "--costs",
    **{(*_SCORE, side, key): f"--{key} ({side})" for side in _SIDES for key in _OF_EACH_SIDE},
    **{(*_SCORE, "canonical", key): f"--{key} (gold)" for key in _OF_EACH_SIDE},
    **{(*_SCORE, side, "path"): side.upper() for side in _SIDES},
    (*_SCORE, "canonical", "path"): "--canonical",
    (*_SCORE, "speakers", "path"): "--speakers",
    (*_SCORE, "recogniser", "inventory"): "--inventory",
}


def _score_settings(*paths: str, **given: _Text) -> dict[str, Any]:
    """Return the configuration that the options of `score` stand for."""
    symbols = [*map(_with_tables, _split_two(given["symbols"], ","))]
    both = _split_two(given["columns"], ";")
    pairs = [[one.partition("=") for one in text.split(",") if one.strip()] for text in both]
    columns = [{name.strip(): title.strip() for name, _, title in own} for own in pairs]
    values: list[Any] = [paths, symbols, columns, _split_two(given["form"], ","), _split_two(given["tier"], ";")]
    files: dict[str, Any] = {
        side: {key: both[place] for key, both in zip(_OF_EACH_SIDE, values, strict=True) if both[place]}
        for place, side in enumerate(_SIDES)
    }
    if given["canonical"] is not None:  # read as gold is; but of the same file the phones are another column
        same, gold = given["canonical"] == paths[0], files["gold"]
        titles = {name: title for name, title in columns[0].items() if not (same and name == "phones")}
        files["canonical"] = {**gold, "path": given["canonical"], "columns": titles}
    if given["speakers"]:
        files["speakers"] = {"path": given["speakers"]}
    if text := given["inventory"]:
        # A path may have spaces in it; a list of phones has no dot or slash.
        several = text.split() if not {".", "/"} & {*text} else []
        files["recogniser"] = {"inventory": several if len(several) > 1 else text}
    alignment = {"alignment": {"costs": given["costs"]}} if given["costs"] is not None else {}
    return {"name": "score", "corpora": {"score": files}, **alignment}


def _table_like(
    program: Program, settings: dict[str, Any], given: dict[str, Any], *, as_json: bool, say: Callable[[str], object]
) -> str:
    """Return another program's table; what that program makes of symbols goes into the configuration."""
    from phonxling.experiment.like import print_like

    settings["symbols"] = {"silence": "keep"} if program in {"sclite", "kaldi"} else {"diphthongs": "split"}
    # These tables need no features.
    printed = print_like(program, settings | {"alignment": {"costs": "unit"}}, **given)
    for note in printed.notes:
        say(f"note: {note}")
    return json.dumps(printed.numbers, ensure_ascii=False) if as_json else "\n".join(printed.lines)


@app.command(cls=_Command)
def decode(
    posteriors: Annotated[str, _argument("File or folder of posteriors.", "POSTERIORS")],
    *,
    output: Annotated[Path, _option("The file of phones to write (TSV).", "FILE", *_OUTPUT)],
    labels: Annotated[_Text, _option(_LABELS, "FILE")] = None,
    blank: Annotated[_Text, _option("Label of the blank of a CTC recogniser.", "LABEL")] = None,
    scale: Annotated[Scale | None, _option("What the numbers are.", default="as the first frames look")] = None,
    frame_shift: Annotated[float | None, _option("From frame to frame, if the file does not say.", "SECONDS")] = None,
    frame_offset: Annotated[float, _option("When the first frame begins.", "SECONDS")] = 0.0,
    symbols: Annotated[str, _option(_ONE_SET, "SET|FILE")] = "ipa",
    form: Annotated[_Text, _option("Format, where the file does not show it.", "NAME", "--format")] = None,
    min_duration: Annotated[float | None, _option(_LASTING, "SECONDS", default="0.03")] = None,
    silence: Annotated[Literal["drop", "keep"], _option("Whether silence is left out.")] = "drop",
    unknown: Annotated[Literal["error", "drop", "keep"], _option("What to do with unknown labels.")] = "error",
    workers: Workers = 1,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Write the phones that posteriors say, with times and confidences, as a file of predictions.

    Example: phonxling decode logits --labels phones.txt --blank "<pad>" --frame-shift 0.02 -o decoded.tsv
    """
    from phonxling.console import Bar
    from phonxling.core.work import Threads
    from phonxling.experiment.checking import decode_file, with_likely_scale
    from phonxling.experiment.single import load_posteriorgrams
    from phonxling.phones.symbols import SymbolRules
    from phonxling.posteriors.decode import MIN_DURATION

    loaded = load_posteriorgrams(
        posteriors,
        _with_tables(symbols),
        scale=scale or "probability",
        frame_shift=frame_shift,
        frame_offset=frame_offset,
        blank=blank,
        labels=labels,
        format=form,
        rules=SymbolRules(unknown=unknown, silence=silence),
    )
    least = MIN_DURATION if min_duration is None else min_duration
    with Bar(quiet=quiet, verbose=verbose) as bar:
        bar.step("decoding")
        if scale is None and (loaded := with_likely_scale(loaded)).scale != "probability":
            bar.say(f"the numbers look like --scale {loaded.scale}, and are read so")
        for note in loaded.notes:
            bar.say(f"note: {note}")
        done = decode_file(loaded, output, least, Threads(workers))
    _print(done, quiet=quiet)


@app.command(cls=_Command)
def report(results: Results, *, figures: Kinds = "", quiet: Quiet = False, verbose: Verbose = False) -> None:
    """Draw figures, papers' tables and the page of finished results again, from the stored numbers alone.

    Example: phonxling report results/demo --figures map,features
    """
    from phonxling.console import Bar
    from phonxling.core.estimate import format_count
    from phonxling.experiment.results import redraw

    with Bar(quiet=quiet, verbose=verbose) as bar:
        files = redraw(results, bar, [*filter(None, map(str.strip, figures.split(",")))])
    drawn = format_count(sum(path.parent.name == "figures" for path in files), "figure")
    _print(f"{drawn} in {results / 'figures'}; what a paper takes, and the page, are written again, too", quiet=quiet)


@app.command(cls=_Command)
def verify(
    results: Results,
    *,
    inputs: Annotated[Path | None, _option("The configuration's folder, if it is not where it was.", "DIR")] = None,
    recompute: Annotated[bool, typer.Option("--recompute", help=_RECOMPUTE)] = False,
    workers: AllWorkers = _CORES,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Check that stored results are as they were written, from the inputs and settings that they name.

    Example: phonxling verify results/demo --recompute
    """
    from phonxling.console import Bar
    from phonxling.core.work import Threads
    from phonxling.experiment.pipeline import verify as verify_results

    with Bar(quiet=quiet, verbose=verbose) as bar:
        lines = verify_results(results, inputs, Threads(workers) if recompute else None, bar)
    _print("\n".join(lines), quiet=quiet)


@app.command(cls=_Command)
def export(
    results: Results,
    output: Annotated[Path, _argument("Folder of the files to write.", "DIR")],
    *,
    form: Annotated[Literal["textgrid", "eaf"], _option("Of Praat, or of ELAN.", None, "--format")] = "textgrid",
    quiet: Quiet = False,
) -> None:
    """Write a file for each utterance with times, to be opened in Praat or ELAN: gold, predicted, errors.

    Example: phonxling export results/demo tiers --format eaf
    """
    from phonxling.results.export import export_results

    for line in export_results(results, output, form):
        _print(line, quiet=quiet)


@app.command(cls=_Command)
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of your files.")] = Path(),
    *,
    quiet: Quiet = False,
) -> None:
    """Write a commented starter configuration for the files found in a folder, and check it.

    Example: phonxling init my-data
    """
    from phonxling.experiment.starter import write_starter

    _print("\n".join(write_starter(folder).lines()), quiet=quiet)


@app.command(cls=_Command)
def compare(
    results: Annotated[list[Path], _argument("Folders of finished results.", "RESULTS")],
    *,
    output: Annotated[_Path, _option(_COMPARISON, "FOLDER", *_OUTPUT, default=_COMPARED)] = None,
    against: Annotated[_Text, _option("Compare all others with this one; all pairs otherwise.", "NAME")] = None,
    allow_different: Annotated[bool, typer.Option("--allow-different", help=_DIFFERENT)] = False,
    paired: Annotated[Paired, _option(_PAIRED)] = "auto",
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of randomisation; the first results' by default.", metavar="N")
    ] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Compare finished results, every corpus of every folder: which is better, and what else differs.

    Example: phonxling compare results/system-a results/system-b -o results/a-against-b
    """
    from phonxling.comparison.compare import Choices
    from phonxling.console import Bar, comparison_lines
    from phonxling.experiment.results import compare_results

    choices = Choices(against, allow_different, paired, seed)
    first, *others = [one.resolve().name for one in results]
    against_others = f"{'-'.join(others[:2]) or 'itself'}{'-…' * (len(others) > 2)}"
    folder = output or Path("results") / f"{first}-against-{against_others}"
    with Bar(quiet=quiet, verbose=verbose) as bar:
        compare_results(results, folder, choices, bar)
    _print("\n".join(comparison_lines(folder)), quiet=quiet)


@app.command(cls=_Command)
def symbols(
    name: Annotated[
        str, typer.Argument(metavar="SET", help="A symbol set, a TSV file, or a set with a TSV over it: ipa+my.tsv.")
    ] = "",
) -> None:
    """List the symbol sets, or print one as a table (symbol, ipa, kind): a TSV where it is not for a terminal.

    Example: phonxling symbols timit61 > timit61.tsv
    """
    from phonxling.console import columns
    from phonxling.experiment.corpora import symbol_rows

    _echo("\n".join(columns(symbol_rows(_with_tables(name)))))


@app.command(cls=_Command)
def schema() -> None:
    """Print the JSON schema of the configuration, for editors.

    Example: phonxling schema > phonxling.schema.json
    """
    from phonxling.configuration.reading import json_schema

    _echo(json.dumps(json_schema(), ensure_ascii=False, indent=2))


def _split_two(text: str | None, separator: str) -> tuple[str, str]:
    values = (text or "").split(separator)
    if len(values) > 2:
        raise ConfigurationError(f"'{text}': give one value, or two (gold and predicted) separated by '{separator}'")
    return values[0].strip(), values[-1].strip()


def _with_tables(text: str) -> str | list[str]:
    """Return a symbol set, or a list of one and of tables laid over it: timit61+extra.tsv."""
    parts = text.split("+")
    return parts if len(parts) > 1 and "." not in parts[0] and "/" not in parts[0] else text


def _print(text: str, *, quiet: bool = False) -> None:
    if not quiet:
        _echo(from_here(escape_unprintable(text)))


def _echo(text: str) -> None:
    try:
        typer.echo(text)
    except BrokenPipeError:
        close_output()  # Python would try to write the rest once more, and complain
        raise DataError("standard output was closed, so not all was printed; written files are whole") from None


def main() -> None:
    run_to_exit(lambda: app(prog_name="phonxling"))


LEAST, EACH_CORE = 2_500, 20  # MB of addresses, most of which are never filled; docs/scale.md says how measured
INTERRUPTED = 130  # as shells have it for Ctrl-C
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})


def check_memory() -> None:
    """Refuse to begin where the process may have too little: libraries would end it, or ask for memory for ever."""
    if sys.platform != "linux":
        return
    import resource  # not on Windows

    # Libraries take addresses for the threads of every core, whether these compute or not.
    needed = LEAST + EACH_CORE * len(os.sched_getaffinity(0))
    for option, limit in (("-v", resource.RLIMIT_AS), ("-d", resource.RLIMIT_DATA)):
        allowed, _ = resource.getrlimit(limit)
        if allowed != resource.RLIM_INFINITY and allowed < needed * 1_000_000:
            has, remedy = f"{allowed // 1_000_000:,} MB of memory (ulimit {option})", f"say ulimit {option} unlimited"
            fault = f"this process may have {has} and needs {needed:,} MB, whatever the data"
            raise DataError(f"{fault}: {remedy}, or run where that is allowed; see docs/scale.md")


def run_to_exit(command: Callable[[], object]) -> None:
    """Run a command; what goes wrong is one message on standard error and an exit code: 1 data, 2 usage, 130 Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        # IPA, and names of files of any bytes, can be printed whatever the terminal is set to.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        command()
    except PhonxlingError as error:
        _end(f"error: {from_here(str(error))}", error.exit_code)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # of a folder, or of a file that would be made beside it
            _end(f"error: {error.filename}: the name is too long", ConfigurationError.exit_code)
        if error.errno not in _NO_ROOM:
            raise
        close_output()  # Python would try to write what is left of it once more, and complain
        what = error.filename or "standard output or a temporary file"
        _end(f"error: {what}: cannot be written: {error.strerror}", DataError.exit_code)
    except KeyboardInterrupt:
        end_interrupted()
    except MemoryError:
        text = "error: there is not enough memory for these data; see docs/scale.md for what they take"
        _end(text, DataError.exit_code)


def end_interrupted() -> NoReturn:
    """End the process after Ctrl-C."""
    _end("interrupted" + "; what is finished is kept: run again to go on" * (sys.argv[1:2] == ["run"]), INTERRUPTED)


def close_output() -> None:
    """Let nothing more be written to standard output, whose other end is closed or full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _end(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"{message}\n")
    sys.exit(code)
