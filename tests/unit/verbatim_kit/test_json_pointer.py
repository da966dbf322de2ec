"""A pointer leads where RFC 6901 says, and nowhere else."""

import pytest

from verbatim_kit.json_pointer import ABSENT, escaped_step, look_up, steps_of, steps_of_reference, target_of

# The document of section 5.
DOCUMENT = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}


@pytest.mark.parametrize(
    ("pointer", "reference", "value"),
    [
        ("", "#", DOCUMENT),
        ("/foo", "#/foo", ["bar", "baz"]),
        ("/foo/0", "#/foo/0", "bar"),
        ("/", "#/", 0),
        ("/a~1b", "#/a~1b", 1),
        ("/c%d", "#/c%25d", 2),
        ("/e^f", "#/e%5Ef", 3),
        ("/g|h", "#/g%7Ch", 4),
        ("/i\\j", "#/i%5Cj", 5),
        ('/k"l', "#/k%22l", 6),
        ("/ ", "#/%20", 7),
        ("/m~0n", "#/m~0n", 8),
    ],
)
def test_a_pointer_and_a_reference_lead_to_their_place(pointer: str, reference: str, value: object) -> None:
    assert look_up(DOCUMENT, steps_of(pointer)) == value
    assert steps_of_reference(reference) == steps_of(pointer)
    assert target_of(DOCUMENT, reference) == value


@pytest.mark.parametrize(
    "pointer", ["/bar", "/foo/2", "/foo/-1", "/foo/01", "/foo/²", "/foo/-", "/foo/0/0", "/foo/" + "9" * 5_000]
)
def test_a_pointer_to_no_place_leads_nowhere(pointer: str) -> None:
    assert look_up(DOCUMENT, steps_of(pointer)) is ABSENT
    assert target_of(DOCUMENT, f"#{pointer}") is ABSENT


def test_a_place_that_holds_null_is_one() -> None:
    assert look_up({"a": None}, ("a",)) is None


@pytest.mark.parametrize("reference", ["other.json#/foo", "#foo", "foo", ""])
def test_a_reference_that_is_no_pointer_into_the_document_leads_nowhere(reference: str) -> None:
    assert target_of(DOCUMENT, reference) is ABSENT
    with pytest.raises(ValueError, match="outside the document"):
        steps_of_reference(reference)


def test_a_text_that_begins_without_a_slash_is_no_pointer() -> None:
    with pytest.raises(ValueError, match="no JSON Pointer"):
        steps_of("foo")


@pytest.mark.parametrize("name", ["a/b", "m~n", "~1", "", "~01/"])
def test_a_name_reads_as_it_is_escaped(name: str) -> None:
    assert steps_of(f"/{escaped_step(name)}") == (name,)
