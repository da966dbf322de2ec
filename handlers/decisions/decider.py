"""The answers to questions about one input: a prompt for each, and no decoding.

A prompt is the input and the question. The first token of the reply is not generated: the probabilities of
the labels in its place are read. All prompts begin alike, and the first one runs before the others, which
find that beginning in the prefix cache.
"""

from asyncio import Semaphore
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from math import fsum
from secrets import token_hex
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest, SamplingParams
from handlers.active_requests.active_request import ActiveRequest, IncompleteGeneration
from handlers.chat.core import PreparedChat
from handlers.chat.errors import TemplateError
from handlers.chat.media import NOTHING_READ, PartContents, source_parts
from handlers.chat.messages import ChatMessage, Content
from handlers.chat.params import ChatParams
from handlers.chat.prompt.conversation import joined
from handlers.concurrency.merge import merge
from handlers.decisions.label_tree import LabelTree
from handlers.decisions.labels import Labels
from handlers.decisions.question import Question, QuestionKind, wording
from handlers.decisions.readings import found_logprobs, readings
from handlers.served_model.served_model import ServedModel

_BETWEEN: Final = "\n\n"
_MAX_PREPARED: Final = 64  # prompts of one request that are in memory at once


class DecisionCost(NamedTuple):
    """The tokens of prompts, and how many of them were found in the prefix cache."""

    num_prompt_tokens: int
    num_cached_tokens: int


class Decision(NamedTuple):
    """The answer to a question. probabilities: one for each of its options; they add up to 1."""

    probabilities: tuple[float, ...]
    cost: DecisionCost


class Decider:
    """Answers questions with the served model."""

    def __init__(self, shared: ServedModel) -> None:
        self._shared = shared
        self._labels = Labels(shared.tokenizer)

    async def decide(
        self,
        active: ActiveRequest,
        messages: tuple[ChatMessage, ...],
        questions: Sequence[Question],
        adapter: str | None,
    ) -> list[Decision]:
        """Return the answers in the order of the questions, each independent of the others.

        To be called within `active.permits`, where each question takes turns with one sequence.
        messages: at least one; their parts that are not text name their places.
        Raises the errors of `handlers.chat.errors`, IndistinctLabels, NoProbabilities, Overloaded, and from
        the tree of the engine's errors.
        """
        request = _Request(self._shared, self._labels, active, messages, adapter)
        first, *others = questions
        decisions = {0: await request.answer(first)}
        async with aclosing(merge([request.answers(question) for question in others])) as answered:
            async for number, decision in answered:
                decisions[number + 1] = decision
        return [decisions[number] for number in range(len(questions))]


class _Request:
    """The input of one request while its questions are answered."""

    def __init__(
        self,
        shared: ServedModel,
        labels: Labels,
        active: ActiveRequest,
        messages: tuple[ChatMessage, ...],
        adapter: str | None,
    ) -> None:
        self._shared = shared
        self._labels = labels
        self._active = active
        self._messages = _turns(messages)
        self._parts = source_parts(self._messages)
        self._adapter = adapter
        self._contents: PartContents = NOTHING_READ  # of the input's parts, once the first question is ready
        self._slots = Semaphore(_MAX_PREPARED)

    async def answers(self, question: Question) -> AsyncGenerator[Decision, None]:
        """Yield the one answer to a question, as `answer` does."""
        async with self._slots:
            yield await self.answer(question)

    async def answer(self, question: Question) -> Decision:
        """Return the mean over the orders of the question's options."""
        orders = _orders(question, self._shared.settings.decisions_permutations)
        decisions = [await self._answer_in_order(question, order) for order in orders]
        columns = zip(*(decision.probabilities for decision in decisions), strict=True)
        return Decision(
            tuple(fsum(column) / len(decisions) for column in columns),
            DecisionCost(
                sum(decision.cost.num_prompt_tokens for decision in decisions),
                sum(decision.cost.num_cached_tokens for decision in decisions),
            ),
        )

    async def _answer_in_order(self, question: Question, order: Sequence[int]) -> Decision:
        labels = self._labels.texts(question.kind, len(question.options))
        prepared = await self._prepare(question, labels, order)
        request = prepared.request
        tree = LabelTree(self._labels.spellings(labels, request.prompt.token_ids))
        num_prompt_tokens = num_cached_tokens = 0
        for way, token_ids in tree.nodes():
            events = [
                await self._first_event(reading)
                for reading in readings(request, way, token_ids, self._shared.engine.capabilities)
            ]
            tree.add(way, found_logprobs(events))
            num_prompt_tokens += events[0].num_prompt_tokens
            num_cached_tokens += events[0].num_cached_tokens
        by_place = dict(zip(order, tree.probabilities(), strict=True))
        probabilities = tuple(by_place[number] for number in range(len(order)))
        return Decision(probabilities, DecisionCost(num_prompt_tokens, num_cached_tokens))

    async def _first_event(self, request: GenerationRequest) -> TokenEvent:
        first: TokenEvent | None = None
        async with aclosing(self._active.run(request)) as events:
            async for event in events:
                first = first or event
        if first is None:
            raise IncompleteGeneration
        return first

    async def _prepare(self, question: Question, labels: Sequence[str], order: Sequence[int]) -> PreparedChat:
        """Return the question's prompt, made in a thread: there may be hundreds of them."""
        content = wording(question, labels, order)
        known = self._contents

        def prepare(contents: PartContents) -> PreparedChat:
            return self._prompt(content, {**known, **contents})

        def prepare_again(contents: PartContents) -> PreparedChat:
            prepared = prepare(contents)
            self._contents = {**known, **{part: contents[part] for part in self._parts if part in contents}}
            return prepared

        first = self._shared.workers.compute(prepare, known)
        return await self._shared.media.complete(first, prepare_again)

    def _prompt(self, content: Content, contents: PartContents) -> PreparedChat:
        """Return the prompt that asks a question after the input; in any thread.

        Some templates take no user's turn after a tool's result; there the question ends the result.
        """
        last = self._messages[-1]
        joint = replace(last, content=joined([last.content, content], _BETWEEN))
        if last.role == "user":
            return self._rendered((*self._messages[:-1], joint), contents)
        try:
            asked = ChatMessage(role="user", content=content)
            return self._rendered((*self._messages, asked), contents)
        except TemplateError:
            if last.role != "tool":
                raise
            return self._rendered((*self._messages[:-1], joint), contents)

    def _rendered(self, messages: tuple[ChatMessage, ...], contents: PartContents) -> PreparedChat:
        params = ChatParams(
            request_id=token_hex(16),
            messages=messages,
            sampling=SamplingParams(temperature=0.0, num_logprobs=0),
            max_tokens=1,
            adapter=self._adapter,
            enable_thinking=False,
            begins_answer=True,
        )
        return self._shared.chat.prepare(params, contents)


def _turns(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Return the messages with user's turns next to each other as one: many templates demand it."""
    turns: list[ChatMessage] = []
    for message in messages:
        if turns and turns[-1].role == message.role == "user":
            turns[-1] = replace(turns[-1], content=joined([turns[-1].content, message.content], _BETWEEN))
        else:
            turns.append(message)
    return tuple(turns)


def _orders(question: Question, num_orders: int) -> list[list[int]]:
    """Return the orders of options to average over: of choices, shifts that are evenly spaced.

    Where there are as many shifts as choices, each choice stands in each place once. Levels and yes or no
    have an order of their own.
    """
    num = len(question.options)
    num_shifts = min(num_orders, num) if question.kind is QuestionKind.CHOICE else 1
    shifts = [shift * num // num_shifts for shift in range(num_shifts)]
    return [[(place + shift) % num for place in range(num)] for shift in shifts]
