"""Whether a target can be held against the reference language, and what weakens the comparison."""

from phonxling.analyses.case.loaded import LoadedCorpus
from phonxling.settings.sections import Expected


def refusal(target: LoadedCorpus, reference: LoadedCorpus | None, settings: Expected) -> str:
    """Return why nothing can be expected for a target, "" when it can."""
    if reference is None:
        return "no corpus has the role reference"
    if reference.corpus is None:
        return f"the reference {reference.name} has no predictions"
    if target.recogniser == reference.recogniser or settings.allow_other_recogniser:
        return ""
    names = f"{target.recogniser or 'not named'} here, {reference.recogniser or 'not named'} in {reference.name}"
    return f"another recogniser than the reference's ({names}); allow with expected: {{allow_other_recogniser: true}}"


def recogniser_note(target: LoadedCorpus, reference: LoadedCorpus) -> str:
    """Return the warning to put beside numbers that compare two recognisers, "" when it is one."""
    if target.recogniser == reference.recogniser:
        return ""
    return f"another recogniser: {target.recogniser or 'not named'}, reference {reference.recogniser or 'not named'}"
