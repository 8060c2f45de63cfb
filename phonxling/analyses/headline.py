"""The numbers that stand first, on the page and in tables for papers: measure and variant."""

HEADLINE = (
    ("wper", ""), ("chance_wper", "best"), ("skill_wper", "best"),
    ("per", ""), ("chance_per", "best"), ("skill_per", "best"),
    ("conditional_entropy", "ml"), ("mutual_information", "ml"), ("one_to_one_accuracy", "cross-fitted"),
    ("correspondence_tau", "estimate"), ("expected_js", ""), ("wper_excess", ""), ("tone_error_rate", ""),
    ("posterior_mutual_information", "token"), ("nce", ""), ("gold_tokens", ""), ("utterances", ""),
)  # fmt: skip
