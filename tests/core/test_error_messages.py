"""Messages that list several problems."""

from phonxling.core.errors import ConfigurationError, DataError, PhonxlingError, join_problems


def test_all_problems_are_shown_unless_there_is_a_limit() -> None:
    assert join_problems("Three:", iter("abc"), "Do so.") == "Three:\n  a\n  b\n  c\nDo so."
    assert join_problems("Three:", "abc", limit=2) == "Three:\n  a\n  b\n  … and 1 more"
    assert join_problems("Three:", "abc", limit=3) == "Three:\n  a\n  b\n  c"
    assert join_problems("None:", []) == "None:"


def test_data_and_configuration_have_codes_of_their_own() -> None:
    assert (DataError.exit_code, ConfigurationError.exit_code) == (1, 2)
    assert issubclass(DataError, PhonxlingError)
    assert issubclass(ConfigurationError, PhonxlingError)
