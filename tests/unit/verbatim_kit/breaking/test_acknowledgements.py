"""The form of CHANGES.md, which is read strictly so that no line is passed over."""

import pytest

from verbatim_kit.breaking.acknowledgements import FormatError, parse_acknowledgements

GOOD = """# Breaking changes

- prose may hold a list

## Open

- `request a`: why
- `request b`: because
  of this

## Settled

- `request c`: long ago
"""


def test_both_sections_are_read_in_order() -> None:
    found = parse_acknowledgements(GOOD, "CHANGES.md")
    assert found.open == ("request a", "request b")
    assert found.settled == ("request c",)


@pytest.mark.parametrize(
    ("good", "bad", "where"),
    [
        ("# Breaking changes", "# Changes", "CHANGES.md:1: "),
        ("- `request a`: why", "- request a: why", "CHANGES.md:7: "),
        ("- `request a`: why", "- `request a`:", "CHANGES.md:7: "),
        ("- `request a`: why", "- `request a`", "CHANGES.md:7: "),
        ("- `request a`: why", "Some prose", "CHANGES.md:7: "),
        ("  of this", "of this", "CHANGES.md:9: "),
        ("## Open", "## open", "CHANGES.md:5: "),
        ("## Settled", "## Past", "CHANGES.md:11: "),
        ("## Settled\n", "", "CHANGES.md:"),
        ("request b", "request a", "acknowledged twice"),
    ],
)
def test_what_is_not_of_the_form_is_refused_with_its_line(good: str, bad: str, where: str) -> None:
    assert good in GOOD
    with pytest.raises(FormatError, match=where):
        parse_acknowledgements(GOOD.replace(good, bad), "CHANGES.md")
