"""The members of emitted TypedDicts, for the reference page."""

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Member:
    """One member of a request. type: as callers see it, without the remark that it may be left out."""

    name: str
    type: str
    is_required: bool
    description: str


def members_of(source: str) -> dict[str, list[Member]]:
    """The members of each class in a module of TypedDicts, its bases' too, in their order."""
    classes = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    return {name: _members(node, classes) for name, node in classes.items()}


def _members(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> list[Member]:
    bases = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    members = {member.name: member for base in bases for member in _members(classes[base], classes)}
    for index, statement in enumerate(node.body):
        if isinstance(statement, ast.AnnAssign):
            member = _member(statement, node.body[index + 1 : index + 2])
            members[member.name] = member
    return list(members.values())


def _member(statement: ast.AnnAssign, following: list[ast.stmt]) -> Member:
    kind = ast.unparse(statement.annotation)
    optional = kind.startswith("NotRequired[")
    return Member(
        name=ast.unparse(statement.target),
        type=kind.removeprefix("NotRequired[").removesuffix("]") if optional else kind,
        is_required=not optional,
        description=_text(following),
    )


def _text(statements: list[ast.stmt]) -> str:
    match statements:
        case [ast.Expr(value=ast.Constant(value=str(text)))]:
            return " ".join(text.split())
    return ""
