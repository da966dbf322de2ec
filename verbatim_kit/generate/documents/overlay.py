"""OpenAPI Overlay 1.1, applied so that a correction that no longer corrects anything is an error."""

from typing import Any

import msgspec
from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.ext.parser import parse
from oas_patch.overlay import apply_overlay as apply_actions

from verbatim_kit.generate.documents.document import Document, SpecError

_EFFECTS = ("update", "copy", "remove")
_ACTION_KEYS = {"target", "description", *_EFFECTS}


def apply_overlay(document: Document, overlay: Document) -> Document:
    """The document with every action applied in order; the argument stays as it was.

    SpecError names the action that gives no reason, matches nothing, changes nothing, or is malformed.
    oas-patch itself passes over a target that matches nothing, makes one to copy into, and removes on
    `remove: false`.
    """
    if not str(overlay.get("overlay", "")).startswith(("1.0", "1.1")):
        raise SpecError(("overlay",), "this is not an OpenAPI Overlay 1.0 or 1.1 document")
    result = document
    for index, action in enumerate(overlay.get("actions", [])):
        result = _apply_action(result, action, index)
    return _unshare(result)


def _apply_action(document: Document, action: dict[str, Any], index: int) -> Document:
    fault = _malformation(action)
    if fault is None:
        effect = {key: value for key, value in action.items() if key != "remove" or value}
        try:
            if not parse(action["target"]).find(document):
                fault = "matches nothing"
            elif "copy" in action and len(parse(action["copy"]).find(document)) != 1:
                fault = f"copies {action['copy']!r}, which is not one node"
            else:
                changed: Document = apply_actions(_unshare(document), {"actions": [effect]})
                if changed != document:
                    return changed
                fault = "changes nothing"
        except JSONPathError as error:
            fault = f"is not a JSONPath ({error})"
    raise SpecError(("actions", str(index)), f"overlay action on {action.get('target')!r} {fault}")


def _malformation(action: dict[str, Any]) -> str | None:
    if unknown := sorted(set(action) - _ACTION_KEYS):
        return f"has unknown keys: {', '.join(unknown)}"
    if "target" not in action or not action.get("description"):
        return "needs a target and a description that gives its reason"
    if len([effect for effect in _EFFECTS if action.get(effect, False) is not False]) != 1:
        return "must either update, copy, or remove with `remove: true`"
    return None


def _unshare(document: Document) -> Document:
    """A deep copy without shared objects.

    oas-patch puts one and the same object into every match, so that a later action on one would change all.
    """
    copy: Document = msgspec.json.decode(msgspec.json.encode(document))
    return copy
