"""The interface of a model family's tool-call format: its writer, its reader and its grammar."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self, TypeAlias

import msgspec

from handlers.chat.markers import partial_suffix
from handlers.chat.messages import ChatMessage
from handlers.chat.structured_output.structural_tag import Tag, const, optional, separated, sequence, tag
from handlers.chat.tool_calls.ids import OPENAI_IDS, ToolCallIds
from handlers.chat.tool_calls.text import IncomingText, Reading

Schema: TypeAlias = Mapping[str, object]  # JSON Schema
Written: TypeAlias = tuple[str, str]  # a call: the function's name, and its arguments as a JSON object
# Returns a prompt, and the same with an answer of these calls as a template writes it; None if it refuses.
Writer: TypeAlias = Callable[[Sequence[Written]], tuple[str, str] | None]

# Calls that a template is made to write, so that the blanks between their parts can be seen.
_PROBES: Final[tuple[Written, ...]] = (
    ("probe_one", json.dumps({"first": "a", "second": True})),
    ("probe_two", json.dumps({"third": "b"})),
)
_FIRST_GAP: Final = 0xE000  # the first of 6,400 private characters, which stand for blanks
_GAP: Final = re.compile("[\ue000-\uf8ff]")


class BoundTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as a grammar holds calls to it.

    schema: the schema of the arguments object.
    is_strict: whether calls are held to it even where the format leaves them free.
    """

    name: str
    schema: Schema
    is_strict: bool = False


class CallSyntax(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of one call, from its first character to its last; `arguments` is a structural tag."""

    begin: str
    arguments: Tag
    end: str


class Opening(msgspec.Struct, frozen=True):
    """The number of characters that certainly come before any call, and whether a call begins after them."""

    num_before: int
    is_found: bool


# Fields whose texts are no part of a call's layout.
_NO_LAYOUT: Final = frozenset(("name", "marker", "marker_end", "start", "lead", "quote"))


@dataclass(frozen=True, kw_only=True)
class ToolFormat(ABC):
    """One family's way of writing calls.

    A block of calls is `begin`, its calls, `end`. Elsewhere than in the calls themselves the texts here are
    as the family writes them; reading takes other blanks too.
    """

    name: str
    """The format's name, which is vLLM's name of its parser where it has the format."""

    aliases: tuple[str, ...] = ()
    """Other names, which are vLLM's too."""

    marker: str = ""
    """The text that every block begins with; "" where a block has no sign of its own."""

    start: str = ""
    """The characters any of which begins a block without a marker at the start of an answer, the only place
    where they are looked for; "" where every block has its marker."""

    begin: str = ""
    """The text before the calls of a block."""

    lead: str = ""
    """The blanks that may come between an answer's start and its first call."""

    separator: str = "\n"
    """The text between calls of one block, or between blocks of one call each."""

    end: str = ""
    """The text after the calls of a block."""

    holds_many: bool = False
    """True if one block holds several calls. Otherwise each call has a block of its own."""

    strays: tuple[str, ...] = ()
    """Texts that are no prose and begin a block whose marker is missing."""

    line_starts: tuple[str, ...] = ()
    """Texts that begin such a block at the start of a line outside of code fences."""

    stray_ends: tuple[str, ...] = ()
    """Other texts that models write for the end."""

    ids: ToolCallIds = OPENAI_IDS
    """The identifiers that the family's templates take."""

    signs: tuple[str, ...]
    """Texts that a template of the family has, all of them."""

    strangers: tuple[str, ...] = ()
    """Texts that only templates of other families have."""

    tokens: tuple[str, ...] = ()
    """Tokens that only the vocabularies of the family's models have, all of them."""

    @property
    def openings(self) -> tuple[str, ...]:
        """The texts that a block with a marker begins with."""
        return (self.marker,) if self.marker else ()

    @property
    def closes(self) -> tuple[str, ...]:
        """The tags that end a call or a block, of which any may be missing after a call or come twice."""
        return (*filter(None, [self.end.strip().removeprefix("]")]), *self.stray_ends)

    @property
    def is_marked(self) -> bool:
        """True if the family always writes the marker, so that a call once begun can be held to a tool that
        exists even where calls are not demanded.
        """
        return bool(self.marker) and not self.start

    @property
    def stop_free(self) -> tuple[tuple[str, str], ...]:
        """The spans without stop strings, which are for content, as in `engine.port.request.StopConditions`.

        A block whose end is a mere bracket, as its arguments hold them too, counts to the end of the answer.
        """
        end = self.end.strip()
        return ((self.marker, end if len(end) > 1 else ""),) if self.marker else ()

    @property
    def tags(self) -> tuple[str, ...]:
        """The fixed texts of the format."""
        return (self.marker, self.begin, self.separator, self.end)

    def special_tags(self, special_tokens: Collection[str]) -> set[str]:
        """Return the special tokens that are part of the format."""
        texts = (*self.tags, *self.strays, *self.stray_ends)
        return {token for token in special_tokens if token and any(token in text for text in texts)}

    def turns(self, messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
        """Return a conversation with its calls in the messages in which the family's templates take them."""
        return messages

    @property
    def layouts(self) -> Sequence[Self]:
        """The forms in which the family's templates may write calls, this one first."""
        return (self,)

    def laid_out_by(self, write: Writer) -> Self:
        """Return the format with the blanks that a template writes between the parts of a call, so that
        grammars allow what the prompt has.

        The format stays as it is where the template's text is not of this family.
        """
        for probes in (_PROBES, _PROBES[:1]):
            written = write(probes)
            found = None if written is None else self._seen_in(*written, probes)
            if found is not None:
                return found._without_arguments(write)
        return self

    def _seen_in(self, prompt: str, text: str, probes: Sequence[Written]) -> Self | None:
        for layout in self.layouts:
            gapped, gaps = layout._with_gaps()
            if found := re.search(_pattern(gapped.write_all(*probes)), text):
                blanks = gaps | {gap: found[gap] for gap in found.groupdict()}
                before = text[: found.start()]
                lead = (
                    before.removeprefix(prompt)
                    if before.startswith(prompt)
                    else before[len(before.rstrip()) :]
                )
                return replace(gapped._filled(blanks), lead=lead if lead.isspace() else "")
        return None

    def _without_arguments(self, write: Writer) -> Self:
        """Return the format with the blanks of a call without arguments, as a template writes it."""
        return self

    def _with_gaps(self) -> tuple[Self, dict[str, str]]:
        """Return the format with a private character wherever templates may write other blanks, and the
        blanks that each stands for.
        """
        gaps: dict[str, str] = {}
        gapped: dict[str, Any] = {
            name: _gapped(name, getattr(self, name), self.marker, gaps) for name in self._texts
        }
        return replace(self, **gapped), gaps

    def _filled(self, blanks: Mapping[str, str]) -> Self:
        filled: dict[str, Any] = {
            name: _GAP.sub(lambda gap: blanks[_group(gap[0])], getattr(self, name)) for name in self._texts
        }
        return replace(self, **filled)

    @property
    def _texts(self) -> list[str]:
        """The names of the fields that hold a text of a call."""
        return [
            field.name
            for field in fields(self)
            if isinstance(getattr(self, field.name), str) and field.name not in _NO_LAYOUT
        ]

    @property
    def demanded(self) -> "ToolFormat":
        """The format in which a grammar writes calls that are demanded."""
        return self

    def is_format_of(self, template: str) -> bool:
        """Return whether a chat template belongs to this family."""
        return all(sign in template for sign in self.signs) and not any(
            stranger in template for stranger in self.strangers
        )

    def opening(self, text: str, *, is_final: bool) -> Opening:
        """Return the first place in the text of a marker, or of the possible start of one at its end."""
        found = [at for marker in self.openings if (at := text.find(marker)) >= 0]
        if found:
            return Opening(min(found), is_found=True)
        num_open = 0 if is_final else partial_suffix(text, self.openings)
        return Opening(len(text) - num_open, is_found=False)

    @abstractmethod
    def read(self, text: IncomingText, tools: Mapping[str, Schema], *, is_bound: bool) -> Reading[None]:
        """Read one block of calls from its marker or its start on. Raises Malformed.

        tools: the schemas of the arguments by name of the function; a call of another is malformed.
        is_bound: whether a grammar keeps the calls well-formed, so that they can be emitted while they come.
        """

    @abstractmethod
    def call(self, tool: BoundTool) -> CallSyntax:
        """Return the grammar's form of a call, without the beginning and end of its block."""

    @abstractmethod
    def write_call(self, name: str, arguments: str) -> str:
        """Return a call as text, without the beginning and end of its block; `arguments` is a JSON object."""

    def write(self, name: str, arguments: str) -> str:
        """Return a call as text, with the beginning and end of its block; `arguments` is a JSON object."""
        return self.write_all((name, arguments))

    def write_all(self, *calls: tuple[str, str]) -> str:
        """Return calls as the family writes them, each given as a name and its arguments."""
        written = [self.write_call(name, arguments) for name, arguments in calls]
        if self.holds_many:
            return self.begin + self.separator.join(written) + self.end
        return self.separator.join(self.begin + call + self.end for call in written)

    def only_calls(self, tools: Sequence[BoundTool], *, is_single: bool) -> Tag:
        """Return a tag of one call or more, and nothing else."""
        blocks = self._blocks(tools, is_single=is_single)
        calls = blocks[0] if self.holds_many else separated(blocks, self.separator, is_single=is_single)
        return sequence(optional(const(self.lead)), calls) if self.lead else calls

    def calls_in_text(self, tools: Sequence[BoundTool], *, is_single: bool) -> Tag | None:
        """Return a tag of free text in which a call, once begun, is held to its tool; None for text that is
        not held."""
        if self.is_marked:
            blocks, triggers = self._blocks(tools, is_single=is_single), [self.marker]
        else:
            strict = [tool for tool in tools if tool.is_strict]
            blocks = [self._block_from(tool, tools, is_single=is_single) for tool in strict]
            triggers = [self.begin + self.call(tool).begin for tool in strict]
        if not blocks:
            return None
        return {"type": "triggered_tags", "triggers": triggers, "tags": blocks, "stop_after_first": is_single}

    def _blocks(self, tools: Sequence[BoundTool], *, is_single: bool) -> list[Tag]:
        calls = [self.call(tool) for tool in tools]
        if not self.holds_many:
            return [tag(self.begin + call.begin, call.arguments, call.end + self.end) for call in calls]
        inside = [tag(call.begin, call.arguments, call.end) for call in calls]
        return [tag(self.begin, separated(inside, self.separator, is_single=is_single), self.end)]

    def _block_from(self, first: BoundTool, tools: Sequence[BoundTool], *, is_single: bool) -> Tag:
        """Return a tag of a block whose first call is of this tool."""
        begin, call = self.begin + self.call(first).begin, self.call(first)
        if not self.holds_many or is_single:
            return tag(begin, call.arguments, call.end + self.end)
        further = [(self.separator + other.begin, other) for other in map(self.call, tools)]
        calls = [tag(begin, other.arguments, other.end) for begin, other in further]
        more = optional(separated(calls, "", is_single=False))
        return tag(begin, sequence(call.arguments, const(call.end), more), self.end)


def _gapped(name: str, text: str, marker: str, gaps: dict[str, str]) -> str:
    """Return a field's text with a private character for each of its blanks, and where blanks may be: after
    the marker, and at its ends unless the block ends there.
    """

    def gap(blanks: str) -> str:
        character = chr(_FIRST_GAP + len(gaps))
        gaps[_group(character)] = blanks
        return character

    if not text.strip():
        return "" if name in ("begin", "end", "id_begin") else gap(text)
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    core = text.strip()
    begun = core.removeprefix(marker) if name == "begin" and marker else core
    inner = re.sub(r"\s+", lambda found: gap(found[0]), begun)
    head = core[: len(core) - len(begun)]
    head += gap("") if head and begun else ""
    return ("" if name == "begin" else gap(lead)) + head + inner + ("" if name == "end" else gap(trail))


def _group(gap: str) -> str:
    return f"gap{ord(gap)}"


def _pattern(written: str) -> str:
    """Return a regular expression for a text in which each private character stands for any blanks, always
    the same. JSON's own blanks may be others, and 0 stands for any identifier.
    """
    seen: set[str] = set()

    def blanks(gap: re.Match[str]) -> str:
        name = _group(gap[0])
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return rf"(?P<{name}>\s*)"

    core = re.sub(f"^{_GAP.pattern}+", "", written)  # blanks before a call are no part of it
    escaped = re.sub(r"\b0\b", r"\\w+", re.escape(core).replace(r"\ ", r"\s*"))
    return _GAP.sub(blanks, escaped)
