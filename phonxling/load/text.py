"""Reading text files, with errors that say what to do."""

# Paths that users give: a file, a folder, or a glob.

import codecs
import difflib
import errno
import fnmatch
import importlib
import json
import os
import re
import shlex
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, islice, pairwise
from operator import attrgetter
from pathlib import Path
from types import ModuleType

from phonxling.core.errors import DataError, install_command, quote

# What files of bytes are by their beginning, so that the error can say what to do. A pickle is never opened: loading
# one runs whatever program it names (https://docs.python.org/3/library/pickle.html).

_PICKLE = "a Python pickle, which could run any program and is never opened here: write"
_TEXT = f"{_PICKLE} transcripts as TSV or JSONL, posteriors with numpy.savez"
_MAGIC = {
    b"\x1f\x8b": "a gzip archive: unpack it first",
    b"BZh": "a bzip2 archive: unpack it first",
    b"\xfd7zXZ": "an xz archive: unpack it first",
    b"RIFF": "sound (WAV), not a transcript",
    b"fLaC": "sound (FLAC), not a transcript",
    b"NIST_1A": "sound (NIST SPHERE), not a transcript",
    b"ID3": "sound (MP3), not a transcript",
    b"OggS": "sound (Ogg), not a transcript",
    b"SQLite format 3": "a database (SQLite): export its table as CSV or TSV",
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "a picture, not a transcript"),
    **dict.fromkeys((b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf"), "an archive (zstd, 7z): unpack it first"),
    b"\x93NUMPY": "an array (.npy): give it as posteriors",
    b"\x89HDF": "HDF5: give it as posteriors",
    **{bytes([0x80, protocol]): _TEXT for protocol in range(2, 6)},
    b"\xd0\xcf\x11\xe0": "an old spreadsheet or document (.xls, .doc): save it as CSV UTF-8",
    **dict.fromkeys((b"ARROW1", b"\xff\xff\xff\xff"), "an Arrow file: write the data set with to_parquet or to_json"),
    b"%PDF": "a PDF: copy its table into a TSV",
}


def detect_binary(path: Path, data: bytes) -> str:
    """Return what a file is by its first bytes, when it is no text and no format of ours; else ""."""
    if not data.startswith(b"PK\x03\x04"):
        return next((what for magic, what in _MAGIC.items() if data.startswith(magic)), "")
    first = data[30 : 30 + int.from_bytes(data[26:28], "little")]  # the name of the archive's first file
    if first.endswith((b"/data.pkl", b"/version", b"/byteorder")):
        return _explain_torch(path)
    if first.endswith(b".npy"):
        return "arrays (.npz): give them as posteriors"
    office = first.startswith((b"[Content_Types]", b"xl/", b"_rels/", b"docProps/", b"word/"))
    if b"opendocument.text" in data[:200] or (office and b"word/" in data):
        return "a document (.docx, .odt): copy its table into a spreadsheet, and save it as CSV UTF-8"
    if office or b"opendocument.spreadsheet" in data[:200]:
        return "a spreadsheet (.xlsx, .ods): save it as CSV UTF-8"
    return "a zip archive: unpack it first"


def explain_pickle(path: Path) -> str:
    if path.suffix.lower() in {".pt", ".pth", ".ckpt"}:
        return _explain_torch(path)
    return _TEXT if path.suffix.lower() in {".pkl", ".pickle"} else ""


def _explain_torch(path: Path) -> str:
    names = [json.dumps(str(name), ensure_ascii=False) for name in (path.with_suffix(".npz"), path)]
    load = f'torch.load({names[1]}, map_location="cpu", weights_only=True)'
    arrays = f"**{{utterance: frames.float().numpy() for utterance, frames in {load}.items()}}"
    program = shlex.quote(f"import numpy, torch; numpy.savez({names[0]}, {arrays})")
    what = "a file of PyTorch, whose pickle could run any program and is never opened here"
    return f"{what}. If it holds one matrix per utterance, write them as npz: python -c {program}"


# Bytes to text: UTF-8 or UTF-16, or an error that says what the bytes seem to be.

_UTF16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_SHOWN_LETTERS = 40  # letters of a line


def decode(path: Path, data: bytes, *, whole: bool = True) -> str:
    """Return the text of a file's bytes, a byte-order mark taken off; what is not whole may end within a letter."""
    # Text of ASCII has a NUL in every second byte of UTF-16; IPA letters have none, so that a quarter is enough.
    head, encoding = data[:200], _UTF16_MARKS.get(data[:2], "")
    nulls = head[::2].count(0), head[1::2].count(0)
    if not encoding and 4 * max(nulls) > len(head):
        encoding = "utf-16-be" if nulls[0] > nulls[1] else "utf-16-le"
    if encoding and (what := detect_binary(path, data)):
        raise DataError(f"{path}: looks like {what}")
    try:
        return codecs.getincrementaldecoder(encoding or "utf-8-sig")().decode(data, whole).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        if what := detect_binary(path, data):
            raise DataError(f"{path}: looks like {what}") from error
        raise _encoding_error(path, error) from error


def _encoding_error(path: Path, error: UnicodeDecodeError) -> DataError:
    # UTF-8 alone is read: no test tells Latin-1 from Latin-2, and a wrong guess would be a wrong phone.
    read, at = error.object, error.start  # without a byte-order mark
    if error.encoding.startswith("utf-16"):
        return DataError(f"{path}: not whole UTF-16 text (byte {at} of {len(read)}); it may have been cut off")
    bad = f"{path}:{read[:at].count(10) + 1}: not UTF-8 text (byte {read[at]:#04x})"
    if error.end == len(read) and error.reason == "unexpected end of data":
        return DataError(f"{bad}: the file ends within a letter; it has been cut off")
    start = max(read.rfind(b"\n", 0, at) + 1, at - _SHOWN_LETTERS // 2)
    line = read[start:].partition(b"\n")[0].decode("cp1252", "replace")[:_SHOWN_LETTERS].strip()
    # Only its reader can tell whether the line is right so.
    return DataError(f"{bad}; it may be Latin-1 or Windows-1252, in which the line reads: {line}. Save it as UTF-8.")


# Why a file cannot be read, in words, and what may have been meant.

_REASONS = {
    errno.ENOENT: "no such file",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of it is a file, where a folder is needed",
    errno.ELOOP: "a symbolic link that leads back to itself",
    errno.EACCES: "you have no permission to read it",
    errno.ENAMETOOLONG: "the name is too long",
}
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_NEIGHBOURS = 10_000  # names that are compared with a missing one


def check_regular(path: Path) -> None:
    """Raise DataError when a path is no regular file that can be reached: a pipe or a device may never end."""
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise reading_error(path, error) from error
    if kind in _KINDS:
        hint = "" if kind == stat.S_IFDIR else "; write what it gives into a file first"
        raise DataError(f"{path}: cannot be read: it is {_KINDS[kind]}{hint}")


def reading_error(path: Path, error: OSError | ValueError) -> DataError:
    hint = _explain_path(path) or nearest_names(path) if isinstance(error, FileNotFoundError) else ""
    reason = "no file can be called so"  # a ValueError
    if isinstance(error, OSError):
        reason = _REASONS.get(error.errno or 0, str(error.strerror or error))
    return DataError(f"{path}: cannot be read: {reason}{hint}")


URL_REMEDY = "download the file first, and give its path"


def is_url(text: str) -> bool:
    return bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text))


def _explain_path(path: Path) -> str:
    if is_url(str(path).replace(":/", "://", 1)):  # of which a path keeps one slash
        return f"; it is a URL: {URL_REMEDY}"
    if home := next((path.parts[place:] for place, part in enumerate(path.parts) if part == "~"), ()):
        return f"; ~ is your home in a shell alone, so write {Path.home().joinpath(*home[1:])}"
    return f"; folders are separated by /, so write {str(path).replace(chr(92), '/')}" if "\\" in path.name else ""


def is_file(path: Path) -> bool:
    """Return whether a path is a file that can be reached; a name that no file system takes is none."""
    return os.path.isfile(path)  # noqa: PTH113 - pathlib's raises for names that are too long, and for locked folders


def nearest_names(path: Path) -> str:
    folder = next((parent for parent in path.parents if os.path.isdir(parent)), None)  # noqa: PTH112 - as for is_file
    if folder is None or not os.access(folder, os.R_OK):
        return ""
    missing = path.relative_to(folder).parts[0]
    place = folder / missing
    if os.path.islink(place):  # noqa: PTH114 - as for is_file
        return f"; {place if place != path else 'it'} is a link to {place.readlink()}, which is not there"
    names = [entry.name for entry in islice(folder.iterdir(), _NEIGHBOURS)]
    unseen = " (there with other spaces, unseen letters, or another Unicode form)"
    near = [f"{name}{unseen}" for name in names if _as_seen(name) == _as_seen(missing)]
    near = near or difflib.get_close_matches(missing, names, n=3)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    return meant if folder == path.parent else f"; {folder} has no folder '{missing}'{meant}"


def _as_seen(name: str) -> str:
    # Without what no terminal shows: Cf are formatting characters, such as a zero-width joiner.
    composed = unicodedata.normalize("NFC", name)
    return "".join(letter for letter in composed if not letter.isspace() and unicodedata.category(letter) != "Cf")


# Files, lines and symbols of bounded length.

LONGEST_LINE = 1 << 24  # letters: some four million phones, five days of speech
LONGEST_NAME = 4_096  # letters of an utterance id or a speaker
MOST_MARKS = 100  # combining ones in a row
_LONGEST_SYMBOL = 10_000  # letters of a phone, or of a word of joined phones
_BLOCK = 1 << 16
_UNFIT = frozenset({"Cc", "Cs"})  # control characters and lone surrogates: no table could hold them


def read_bytes(path: Path, size: int = -1) -> bytes:
    """Return a file's bytes; DataError when it is missing, no regular file, not readable, or larger than the memory."""
    check_regular(path)
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise reading_error(path, error) from error
    except MemoryError as error:
        raise DataError(f"{path}: {path.stat().st_size / 1e9:,.1f} GB, more than the memory holds") from error


def read_text(path: Path) -> str:
    return decode(path, read_bytes(path))


def read_lines(path: Path, text: str | None = None) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line) of a file, or of its text, without line ends, blank lines left out."""
    # str.splitlines would also end lines at U+0085 or U+2028, which other programs count as letters.
    for number, line in enumerate(split_lines(read_text(path) if text is None else text), start=1):
        bare = line.rstrip("\r")
        if bare and not bare.isspace():
            if len(bare) > LONGEST_LINE:
                check_length(path, number, bare)
            yield number, bare


def check_length(source: Path | str, number: int | str, line: str) -> None:
    if len(line) > LONGEST_LINE:
        msg = f"a line of {len(line):,} letters, more than the {LONGEST_LINE:,} that one may have"
        raise DataError(f"{source}:{number}: {msg}; is it text, with one line per utterance?")


def split_lines(text: str) -> Iterator[str]:
    r"""Yield a text's lines; they end in line feeds or, in a text without any, in carriage returns (old Macs)."""
    end = "\n" if "\n" in text else "\r"
    start = 0
    # A block at a time: the lines of a large text take several times its memory.
    while (stop := text.find(end, start + _BLOCK)) >= 0:
        yield from text[start:stop].split(end)
        start = stop + 1
    yield from text[start:].split(end)


def check_plain(text: str, what: str, where: str, longest: int = LONGEST_NAME) -> None:
    fault = f"is longer than the {longest:,} letters that it may have" if len(text) > longest else ""
    if not text.isprintable() and any(unicodedata.category(letter) in _UNFIT for letter in text):
        fault = fault or "holds a tab, a line end, or another control character"
    if fault:
        raise DataError(f"{where}: the {what} '{quote(text)}' {fault}")


def check_symbol(text: str, where: str, what: str = "symbol") -> None:
    """Raise DataError when a symbol is unfit for tables, has more than 10,000 letters, or 100 marks in a row."""
    check_plain(text, what, where, _LONGEST_SYMBOL)
    # A hundred marks in a row ("zalgo") make every regular expression and every renderer slow.
    if len(text) > MOST_MARKS:
        runs = groupby(text, lambda letter: unicodedata.combining(letter) > 0)
        if any(sum(1 for _ in run) > MOST_MARKS for marks, run in runs if marks):
            raise DataError(f"{where}: the {what} '{quote(text)}' has more than {MOST_MARKS} marks in a row")


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def import_library(name: str, path: Path, what: str, extra: str = "formats") -> ModuleType:
    """Return a module of an extra of ours; DataError that says how to install it when it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise DataError(f"{path}: {what} needs {name.partition('.')[0]}: {install_command(extra)}") from None


@contextmanager
def name_errors(what: str) -> Iterator[None]:
    """Raise DataError that begins so, whatever a library raises that is given odd bytes."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:  # each library has its own
        raise DataError(f"{what}: {quote(str(error), 300)}") from error


_GLOB = frozenset("*?[")


def find_files(path: Path, endings: Sequence[str]) -> list[tuple[str, Path]]:
    """Return (id, file) of a file, a folder's files with one of the endings (any case, any depth), or a glob, by id."""
    fixed, files = matching_files(path, endings)
    # The folder is part of the id: TIMIT has sa1.phn in each speaker's.
    named = sorted(("_".join((*file.parts[len(fixed.parts) : -1], file.stem)), file) for file in files)
    for (name, first), (other, second) in pairwise(named):
        if name == other:
            raise DataError(f"{first} and {second} would both be the utterance '{name}'; rename one")
    return named


def matching_files(path: Path, endings: Sequence[str]) -> tuple[Path, list[Path]]:
    """Return the folder from which names count, and the files there; errors as for `find_files`, but for ids."""
    start, files, fault = path.parent, [path], ""
    if is_glob(path):
        fixed = next(n for n, part in enumerate(path.parts) if _GLOB & set(part))
        start, fault = Path(*path.parts[:fixed]), f"no such file (nothing matches the pattern){_explain_path(path)}"
        parts = [part for n, part in enumerate(path.parts) if n >= fixed and path.parts[n - 1 : n + 1] != ("**", "**")]
        files = [file for file in dict.fromkeys(_expand_glob(start, parts)) if not is_folder(file)]
    elif is_folder(path):
        start, fault = path, f"holds no {list_endings(endings)} file"
        files = [file for file in files_below(path) if has_ending(file.name, endings)]
    if not files:
        raise DataError(f"{path}: {fault}")
    for file in files:
        check_regular(file)
    return start, files


def files_below(folder: Path) -> Iterator[Path]:
    for below, entries in _walk_folders(folder):
        yield from (below / entry.name for entry in entries if not entry.is_dir())


def suffixes_below(folder: Path) -> set[str]:
    return {file.suffix.lower() for file in files_below(folder)}


def is_glob(path: Path) -> bool:
    """Return whether a path is meant as a glob: it holds `*`, `?` or `[`, and no file is called so."""
    return bool(_GLOB & set(str(path))) and not os.path.exists(path)  # noqa: PTH110 - no error for long names


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; DataError when that cannot be found out."""
    try:
        return path.is_dir()
    except OSError as error:  # no permission, or a name that is too long
        raise reading_error(path, error) from error


def has_ending(name: str, endings: Sequence[str]) -> bool:
    # An ending without a dot is a whole name, such as Kaldi's `text`.
    return name.lower() in endings or name.lower().endswith(tuple(each for each in endings if each[:1] == "."))


def list_endings(endings: Sequence[str]) -> str:
    return ", ".join(f"*{ending}" if ending.startswith(".") else ending for ending in endings)


def _expand_glob(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    # Unlike pathlib's, it follows links, and skips no folder that is locked.
    if not parts:
        yield folder
    elif parts[0] == "**":
        for below, _ in _walk_folders(folder):
            yield from _expand_glob(below, parts[1:])
    else:
        for entry in _list_entries(folder):
            if fnmatch.fnmatchcase(entry.name, parts[0]) and (len(parts) == 1 or entry.is_dir()):
                yield from _expand_glob(folder / entry.name, parts[1:])


def _walk_folders(folder: Path, inside: tuple[Path, ...] = ()) -> Iterator[tuple[Path, list[os.DirEntry[str]]]]:
    # Links are followed, since corpora are often links to a disk elsewhere; a circle of them has no end.
    real = folder.resolve()
    if real in inside or (folder.is_symlink() and real in folder.parent.resolve().parents):
        raise DataError(f"{folder}: a link to a folder around it; remove the link")
    entries = _list_entries(folder)
    yield folder, entries
    for entry in entries:
        if entry.is_dir():
            yield from _walk_folders(folder / entry.name, (*inside, real))


def _list_entries(folder: Path) -> list[os.DirEntry[str]]:
    # Sorted by name; each entry knows what it is without the system being asked again.
    try:
        with os.scandir(folder) as entries:
            named = sorted(entries, key=attrgetter("name"))
        for entry in named:
            entry.is_dir()  # which is an error here, where the system has to be asked and does not answer
    except OSError as error:
        raise reading_error(folder, error) from error
    return named
