"""OpenAPI documents as parsed JSON, and the places in them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from verbatim_kit.json_pointer import ABSENT, escaped_step, look_up, steps_of_reference

try:
    from yaml import CSafeLoader as _FastLoader
except ImportError:  # PyYAML was built without libyaml
    from yaml import SafeLoader as _FastLoader  # type: ignore[assignment]  # it reads the same, ten times slower

Document: TypeAlias = dict[str, Any]
Schema: TypeAlias = dict[str, Any]
Pointer: TypeAlias = tuple[str, ...]


class SpecError(Exception):
    """A document or overlay says what cannot be generated; `pointer` is the place (RFC 6901)."""

    def __init__(self, pointer: Pointer, message: str) -> None:
        super().__init__(f"{render_pointer(pointer)}: {message}")
        self.pointer = pointer


def render_pointer(pointer: Pointer) -> str:
    """('paths', '/a') as '#/paths/~1a' (RFC 6901, section 6)."""
    return "/".join(["#", *map(escaped_step, pointer)])


def resolve(document: Document, node: Any, at: Pointer) -> tuple[Any, Pointer]:
    """Follows `$ref` until a node that is none; returns that node and where it stands."""
    seen = [at]
    while isinstance(node, dict) and "$ref" in node:
        try:
            at = steps_of_reference(node["$ref"])
            node = _node_at(document, at)
        except (ValueError, KeyError) as error:
            raise SpecError(seen[-1], f"$ref {node['$ref']} leads nowhere ({error})") from None
        if at in seen:
            raise SpecError(at, "$ref leads back to itself")
        seen.append(at)
    return node, at


def _node_at(document: Document, pointer: Pointer) -> Any:
    """The node at a pointer; KeyError where there is none."""
    node = look_up(document, pointer)
    if node is ABSENT:
        raise KeyError(render_pointer(pointer))
    return node


def operations_of(document: Document) -> Iterator[tuple[str, str, Document, Pointer]]:
    """Each operation as (path, method in lower case, the operation object, its place), in document order."""
    for path, item in document.get("paths", {}).items():
        for method in item:
            if method in ("get", "put", "post", "delete", "options", "head", "patch", "trace"):
                yield path, method, item[method], ("paths", path, method)


def load_document(path: Path) -> Any:
    """Parses JSON or YAML; SpecError if it is neither, or if a key stands twice, which parsers let pass."""
    text = path.read_text(encoding="utf-8")
    try:
        if path.suffix == ".json":
            return json.loads(text, object_pairs_hook=_unique)
        return _load_yaml(text)
    except (ValueError, yaml.YAMLError) as error:
        raise SpecError((), f"{path.name} cannot be read: {error}") from None


def dump_document(document: Document) -> str:
    """JSON text as it is committed and served: key order kept, readable, one newline at the end."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(
            f"key {next(key for key in keys if keys.count(key) > 1)!r} stands twice in one object"
        )
    return mapping


def _load_yaml(text: str) -> Any:
    """Parse YAML whose mapping keys are strings (a bare `200:` too) and unique."""
    try:
        return yaml.load(text, Loader=_UniqueKeyLoader)
    except yaml.YAMLError:
        return yaml.load(text, Loader=_PreciseLoader)  # libyaml's messages do not show the line


class _UniqueKeyLoader(_FastLoader):
    """The loader for documents that are well formed."""


class _PreciseLoader(yaml.SafeLoader):
    """The same in Python, whose messages show the line that is at fault."""


def _construct_mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[str, Any]:
    pairs = loader.construct_pairs(node, deep=True)
    return _unique([(str(key), value) for key, value in pairs])


for _loader in (_UniqueKeyLoader, _PreciseLoader):
    _loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _construct_mapping)
