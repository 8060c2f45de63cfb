"""A small valid file of every kind that is read, from which fuzzed ones are made by mutation."""

import io
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.parquet as pq

_LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "phones"
        xmin = 0
        xmax = 2
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 1.5
            text = "a"
        intervals [2]:
            xmin = 1.5
            xmax = 2
            text = "ɛ""̃"
    item [2]:
        class = "TextTier"
        name = "bells"
        xmin = 0
        xmax = 2
        points: size = 1
        points [1]:
            number = 1
            mark = "!"
"""
_SHORT = 'File type = "ooTextFile"\n"TextGrid"\n0\n2\n<exists>\n1\n"IntervalTier"\n"p"\n0\n2\n1\n0\n2\n"a"\n'
_EAF = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" FORMAT="3.0">
<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="s1" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="s2"/>
<TIME_SLOT TIME_SLOT_ID="s3" TIME_VALUE="700"/></TIME_ORDER>
<TIER TIER_ID="words" LINGUISTIC_TYPE_REF="w">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="s1" TIME_SLOT_REF2="s3">
<ANNOTATION_VALUE>ab &amp; ɛ</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="phones" LINGUISTIC_TYPE_REF="p" PARENT_REF="words">
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a2" ANNOTATION_REF="a1">
<ANNOTATION_VALUE>a</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a1" PREVIOUS_ANNOTATION="a2">
<ANNOTATION_VALUE>b</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="w"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="p" CONSTRAINTS="Symbolic_Subdivision"/></ANNOTATION_DOCUMENT>
"""
_CHAT = "@UTF8\n@Begin\n*CHI:\tdog .\n%mod:\td ɔ ɡ\n%pho:\td ɔ\n\tk\n*MOT:\tyes .\n%pho:\tj ɛ s\n@End\n"
_INTERVALS = "utterance\tstart\tend\tphone\tconfidence\tspeaker\nu1\t0\t0.5\ta\t0.9\tx\nu1\t0.5\t1e0\tɛ\t1\tx\n"
_JSON = (
    '{"utterance": "u1", "phones": ["a", "b"], "start": [0, 1], "end": [1, 2.5], "speaker": "x"}\n',
    '{"id": "u1", "phones": "a b"}\n{"id": 2, "phones": [], "more": {"x": [1, null]}}\n',
    '{"id": "u", "phones": [{"phone": "a", "start": 0, "end": 1, "confidence": 0.5}]}\n',
    '{"id": "u", "phone": "a", "start": 0, "end": 1}\n',
)
_JSON_FILES = (
    '[{"utterance": "u1", "phones": ["a", "b"], "start": [0, 1], "end": [1, 2.5]}, {"id": 2, "phones": []}]',
    '{"u1": {"reference": "a ɛ", "phones": "b"}, "u2": {"reference": "", "phones": "c"}}',
    '{"0": {"pred": [{"phones": "aɛ"}], "passthrough": {"target": "ab", "utt_id": "u1"}}}',
    '{"u1": "a b", "u2": ["a"]}',
)


def _parquet(rows: list[dict[str, object]], **options: object) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file, **options)
    return file.getvalue()


def _tables() -> tuple[bytes, ...]:
    timed = {"id": "u", "phones": [{"phone": "a", "start": 0.0, "end": 1.0}], "speaker": "x"}
    plain = [{"utterance": f"u{number}", "phones": "a b ɛ"} for number in range(3)]
    return _parquet(plain), _parquet(plain, compression="zstd"), _parquet([timed], use_dictionary=False)


TRANSCRIPTS: Mapping[str, tuple[bytes, ...]] = {
    "tsv": ("utterance\tphones\tspeaker\nu1\ta ɛ\tx\nu2\t\ty\n".encode(), _INTERVALS.encode()),
    "csv": (b'utterance,phones\nu1,"a ""b"" ,"\r\n"u,2",\r\n', _INTERVALS.replace("\t", ",").encode()),
    "jsonl": tuple(map(str.encode, _JSON)),
    "json": tuple(map(str.encode, _JSON_FILES)),
    "parquet": _tables(),
    "trn": ("a ɛ (u1)\n;; comment\n (u2)\n".encode(),),
    "ctm": (";; comment\nu1 1 0.0 0.5 a 0.9\nu1 1 0.5 0 ɛ 1\nu2 1 1e-1 2 b 0\n".encode(),),
    "stm": ("u1 1 x 0 1.5 <o,f0,male> a ɛ\nu1 1 x 1.5 2 b\nu2 A y 0 1\n".encode(),),
    "kaldi-text": ("u1 a ɛ\nu2\nu3 b\n".encode(),),
    "lines": ("a ɛ\n\nb\n".encode(), b"a"),
    "kaldi-per-utt": ("u1 ref  a  ***  ɛ\nu1 hyp  b   c  ɛ\nu1 op   S   I  C\nu1 #csid 1 1 1 0\n".encode(),),
    "icefall-recogs": (b"u1:\tref=['a', \"d'\"]\nu1:\thyp=['r\\\\']\nu1:\ttimestamp_hyp=[0.1]\n",),
    "mfa-csv": (b"Begin,End,Label,Type,Speaker\n0,1,word,words,x\n0,0.5,a,phones,x\n0.5,1,b,phones,x\n",),
    "allosaurus": ("0.210 0.045 æ\n0.390 0.045 l\n".encode(),),
    "phn": ("0 1600 h#\n1600 3200 a\n3200 3200 ɛ\n".encode(),),
    "lab": (b"0 1600000 a -3.5 word\n1600000 1700000 \\311\\233\n", "a b ɛ\n".encode()),
    "mlf": (
        '#!MLF!#\n"*/u1.lab"\n0 100 a\n100 200 b\n.\n"*/u2.lab"\n0 9 ɛ\n.\n'.encode(),
        b'#!MLF!#\n"u2.rec"\na\nk\n.\n',
    ),
    "textgrid": (_LONG.encode(), _LONG.encode("utf-16"), _SHORT.encode()),
    "eaf": (_EAF.encode(), _EAF.replace("UTF-8", "UTF-16").encode("utf-16")),
    "cha": (_CHAT.encode(),),
}
_FEATURES = "segment\tsyl\tson\tcons\nweight\t1\t0.5\t2\na\t+\t+\t-\nt\t-\t-\t+\nɛ\t1\t0\t-1\n"
OTHERS: Mapping[str, tuple[bytes, ...]] = {
    "speakers": (b"utterance\tspeaker\nu1\tx\nu2\ty\n", b'utterance,speaker\nu1,"x, y"\n'),
    "symbol map": ("symbol\tipa\nA\ta ɛ\nq\t\n".encode(),),
    "cost table": ("gold\tpredicted\tcost\na\tɛ\t1/3\na\t∅\t0.25\n∅\tb\t1e-3\n".encode(),),
    "gap costs": ("phone\tcost\na\t1\nɛ\t.5\n".encode(),),
    "feature table": (_FEATURES.encode(),),
    "same phones": ("target\treference\na\te\nɛ\t∅\n".encode(),),
}
