"""An overlay says what it changes, changes it, and nothing else."""

from typing import Any

import pytest

from verbatim_kit.generate.documents.document import SpecError
from verbatim_kit.generate.documents.overlay import apply_overlay

DOCUMENT = {"info": {"title": "A"}, "paths": {"/a": {"get": {}}, "/b": {"get": {}}}}


def overlay(*actions: dict[str, Any]) -> dict[str, Any]:
    return {"overlay": "1.0.0", "actions": [{"description": "Why", **action} for action in actions]}


def test_actions_apply_in_order_and_leave_the_source_alone() -> None:
    actions = overlay(
        {"target": "$.info", "update": {"title": "B", "version": "1"}},
        {"target": "$.info.version", "remove": True},
        {"target": "$.paths['/a'].get", "update": {"tags": ["x"]}},
        {"target": "$.paths['/a'].get", "update": {"tags": ["y"]}},
    )
    result = apply_overlay(DOCUMENT, actions)
    assert result["info"] == {"title": "B"}
    assert result["paths"]["/a"]["get"] == {"tags": ["x", "y"]}
    assert DOCUMENT["info"] == {"title": "A"}


def test_an_update_of_several_targets_ties_them_not_together() -> None:
    actions = overlay(
        {"target": "$.paths.*.get", "update": {"headers": {"x-a": {}}}},
        {"target": "$.paths['/a'].get.headers", "update": {"x-b": {}}},
    )
    result = apply_overlay(DOCUMENT, actions)
    assert result["paths"]["/b"]["get"] == {"headers": {"x-a": {}}}


@pytest.mark.parametrize(
    ("action", "fault"),
    [
        ({"target": "$.paths['/c']", "remove": True}, "matches nothing"),
        ({"target": "$.info[?@.title == 'Z']", "update": {"a": 1}}, "matches nothing"),
        ({"target": "$.info", "update": {"title": "A"}}, "changes nothing"),
        (
            {"target": "$.info.title", "remove": False},
            "must either update, copy, or remove with `remove: true`",
        ),
        (
            {"target": "$.info.title", "remove": True, "update": "B"},
            "must either update, copy, or remove with `remove: true`",
        ),
        ({"target": "$.info.title"}, "must either update, copy, or remove with `remove: true`"),
        ({"target": "$.info", "move": "$.paths"}, "has unknown keys: move"),
        ({"target": "$.paths['/c']", "copy": "$.info"}, "matches nothing"),
        ({"target": "$.info", "copy": "$.paths.*"}, "copies '$.paths.*', which is not one node"),
        ({"target": "$.info", "copy": "$.tags"}, "copies '$.tags', which is not one node"),
        (
            {"target": "$.info", "description": "", "update": {"a": 1}},
            "needs a target and a description that gives its reason",
        ),
    ],
)
def test_an_action_that_corrects_nothing_is_an_error_that_names_it(
    action: dict[str, Any], fault: str
) -> None:
    effective = {"target": "$.info", "update": {"a": 1}}
    with pytest.raises(SpecError) as raised:
        apply_overlay(DOCUMENT, overlay(effective, action))
    assert str(raised.value) == f"#/actions/1: overlay action on {action['target']!r} {fault}"


def test_a_target_that_is_no_jsonpath_is_an_error_that_names_it() -> None:
    with pytest.raises(SpecError, match=r"#/actions/0: overlay action on '\$\.\.\[' is not a JSONPath"):
        apply_overlay(DOCUMENT, overlay({"target": "$..[", "remove": True}))


def test_remove_false_beside_an_update_updates() -> None:
    result = apply_overlay(DOCUMENT, overlay({"target": "$.info", "update": {"a": 1}, "remove": False}))
    assert result["info"] == {"title": "A", "a": 1}


def test_a_copy_and_its_source_change_apart() -> None:
    actions = overlay(
        {"target": "$.paths['/a'].get", "update": {"tags": ["x"]}},
        {"target": "$.paths['/b'].get", "copy": "$.paths['/a'].get"},
        {"target": "$.paths['/b'].get", "update": {"tags": ["y"]}},
    )
    paths = apply_overlay(DOCUMENT, {**actions, "overlay": "1.1.0"})["paths"]
    assert (paths["/a"]["get"], paths["/b"]["get"]) == ({"tags": ["x"]}, {"tags": ["x", "y"]})


def test_only_overlays_1_0_and_1_1_are_read() -> None:
    with pytest.raises(SpecError, match="#/overlay: this is not an OpenAPI Overlay 1.0 or 1.1 document"):
        apply_overlay(DOCUMENT, {"overlay": "2.0.0"})
