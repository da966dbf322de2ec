"""The check that one `x-stream` promises all that another does (specs/README.md has the laws)."""

from typing import Any, Final

# What a law may promise. A `when` or a `failure` that is new takes some of a promise back.
_PROMISES: Final = frozenset(
    {"constant", "counts", "joined", "first", "last", "each", "once", "order", "parts", "num"}
)


def keeps_all(old: Any, new: Any) -> bool:
    """Return whether every law of the old list still holds, with what it had and perhaps more."""
    return all(any(_keeps(law, other) for other in new) for law in old)


def _keeps(old: Any, new: Any) -> bool:
    is_held = all(key in new and _KEPT.get(key, _is_same)(value, new[key]) for key, value in old.items())
    return is_held and _PROMISES.issuperset(new.keys() - old.keys())


def _is_same(old: Any, new: Any) -> bool:
    return bool(old == new)


def _has_all(old: Any, new: Any) -> bool:
    return all(one in new for one in old)


def _has_all_members(old: Any, new: Any) -> bool:
    return all(key in new and new[key] == value for key, value in old.items())


_KEPT: Final[dict[str, Any]] = {
    "constant": _has_all,
    "once": _has_all,
    "counts": _has_all_members,
    "joined": _has_all_members,
    "parts": keeps_all,
}
