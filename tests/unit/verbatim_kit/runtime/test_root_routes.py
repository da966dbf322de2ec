import pytest

from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.root_routes import (
    UnknownContract,
    check_root,
    marked_placements,
    placements,
    yielded,
)


def operation(path: str, method: str = "GET") -> Operation:
    return Operation(id=f"{method} {path}", handler="h", method=method, path=path, summary="")


TABLES = {
    "a": (operation("/x"), operation("/x", "POST"), operation("/a")),
    "b": (operation("/x", "PUT"), operation("/b")),
}


def test_the_first_contract_to_claim_a_path_has_all_its_methods() -> None:
    at_root, _ = placements(TABLES, ["a", "b"])
    assert [(one.path, one.contract) for one in at_root] == [
        ("/x", "a"),
        ("/x", "a"),
        ("/a", "a"),
        ("/b", "b"),
    ]
    at_root, _ = placements(TABLES, ["b", "a"])
    assert [(one.path, one.contract) for one in at_root] == [("/x", "b"), ("/b", "b"), ("/a", "a")]


def test_a_contract_leaves_the_paths_that_it_yields_to_others_that_have_them() -> None:
    yields = {"a": {"/x", "/a"}}
    at_root, prefixed = placements(TABLES, ["a", "b"], yields)
    assert [(one.path, one.contract) for one in at_root] == [("/a", "a"), ("/x", "b"), ("/b", "b")]
    assert "/a/x" in {one.path for one in prefixed}
    at_root, _ = placements(TABLES, ["a"], yields)
    assert [one.path for one in at_root] == ["/x", "/x", "/a"]
    assert yielded(TABLES, ["a", "b"], yields, "b") == set()


def test_templates_that_match_the_same_requests_are_one_path() -> None:
    tables = {"a": (operation("/x/{name:path}"),), "b": (operation("/x/{id}"), operation("/x/{id}/y"))}
    at_root, _ = placements(tables, ["a", "b"])
    assert [one.path for one in at_root] == ["/x/{name:path}", "/x/{id}/y"]


def test_a_header_reaches_the_paths_that_an_earlier_contract_has() -> None:
    headers = {"a": None, "b": "b-version"}
    marked = marked_placements(TABLES, ["a", "b"], headers)
    assert [(one.path, one.contract, one.header) for one in marked] == [("/x", "b", "b-version")]
    assert marked_placements(TABLES, ["b", "a"], headers) == []
    assert marked_placements(TABLES, ["a"], headers) == []


def test_every_contract_is_whole_under_its_prefix_whatever_stands_at_the_root() -> None:
    _, prefixed = placements(TABLES, [])
    assert [one.path for one in prefixed] == ["/a/x", "/a/x", "/a/a", "/b/x", "/b/b"]


def test_an_unknown_contract_is_named_beside_those_there_are() -> None:
    with pytest.raises(UnknownContract, match="'c'; there are: a, b"):
        check_root(["a", "c"], list(TABLES))
