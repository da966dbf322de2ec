"""OpenAPI Overlay 1.0, applied so that a correction that no longer corrects anything is an error."""

from typing import Any

import msgspec
from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.ext.parser import parse
from oas_patch.overlay import apply_overlay as apply_actions

from verbatim_kit.generate.documents.document import Document, SpecError

_ACTION_KEYS = {"target", "description", "update", "remove"}


def apply_overlay(document: Document, overlay: Document) -> Document:
    """The document with every action applied in order; the argument stays as it was.

    SpecError names the action that gives no reason, matches nothing, changes nothing, or is malformed.
    oas-patch itself passes over a target that matches nothing, and removes on `remove: false`.
    """
    if not str(overlay.get("overlay", "")).startswith("1.0"):
        raise SpecError(("overlay",), "this is not an OpenAPI Overlay 1.0 document")
    result = document
    for index, action in enumerate(overlay.get("actions", [])):
        result = _apply_action(result, action, index)
    return _unshare(result)


def _apply_action(document: Document, action: dict[str, Any], index: int) -> Document:
    fault = _malformation(action)
    if fault is None:
        effect = {key: value for key, value in action.items() if key != "remove" or value}
        try:
            changed: Document = apply_actions(_unshare(document), {"actions": [effect]})
        except JSONPathError as error:
            fault = f"is not a JSONPath ({error})"
        else:
            if changed != document:
                return changed
            fault = "changes nothing" if parse(action["target"]).find(document) else "matches nothing"
    raise SpecError(("actions", str(index)), f"overlay action on {action.get('target')!r} {fault}")


def _malformation(action: dict[str, Any]) -> str | None:
    if unknown := sorted(set(action) - _ACTION_KEYS):
        return f"has unknown keys: {', '.join(unknown)}"
    if "target" not in action or not action.get("description"):
        return "needs a target and a description that gives its reason"
    if ("update" in action) == (action.get("remove", False) is True):
        return "must either update, or remove with `remove: true`"
    return None


def _unshare(document: Document) -> Document:
    """A deep copy without shared objects.

    oas-patch puts one and the same object into every match, so that a later action on one would change all.
    """
    copy: Document = msgspec.json.decode(msgspec.json.encode(document))
    return copy
