"""The analyses of tone: the tier by itself, and tone with its segment."""

from phonxling.analyses.case.case import Case, Items
from phonxling.analyses.tone.joint import tone_joint_rows, tone_joint_table
from phonxling.analyses.tone.tier import tone_analysis, tone_rows, tone_table, why_no_tone
from phonxling.settings.sections import Chance


def tone_with_segment(case: Case, _: None) -> Items:
    """Yield tone_joint.tsv and its shares."""
    yield from tone_joint_rows(case.loaded, case.counted, case.features)
    if not why_no_tone(case.counted.corpus, case.loaded.symbols):
        yield "tone_joint", tone_joint_table(case.counted, case.features)


def tone_tier(case: Case, _: Chance) -> Items:
    """Yield the tone error rate, its chance and skill; tones.tsv."""
    yield from tone_rows(case.name, case.counted, case.loaded.symbols, case.experiment, case.work)
    tones = tone_analysis(case.counted)
    if tones is not None:
        yield "tones", tone_table(tones)
