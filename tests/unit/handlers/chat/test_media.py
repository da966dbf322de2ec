"""Images and the like in a conversation: their places in the prompt, and what is refused."""

from collections.abc import Collection

import pytest

from engine.port.errors import PromptTooLong
from engine.port.media_item import MediaItem
from engine.port.request import MediaKind, SamplingParams
from handlers.chat.core import ChatCore, PreparedChat
from handlers.chat.errors import ChatError, InvalidMessage, TemplateError, UnsupportedContent
from handlers.chat.media import MediaWanted, PartContents, PromptMedia, Unreadable
from handlers.chat.messages import ChatMessage, ContentPart, FilePart, MediaPart, SourcePart, TextPart
from handlers.chat.params import ChatParams
from handlers.chat.tools import ToolCall
from tests.support.scripted.engine import ScriptedEngine
from tests.support.scripted.media_processor import (
    NUM_TOKENS,
    PLACEHOLDERS,
    TYPED_TEMPLATE,
    ScriptedMedia,
    seeing_engine,
)
from tests.unit.handlers.chat.models import FIRST_SYSTEM_TEMPLATE, HERMES_TEMPLATE, PLAIN_TEMPLATE

IMAGE, AUDIO, VIDEO = MediaKind.IMAGE, MediaKind.AUDIO, MediaKind.VIDEO
A, B = MediaPart(IMAGE, "a"), MediaPart(IMAGE, "b")


class Chat:
    """A chat core whose parts are read from their sources' own text."""

    def __init__(
        self,
        template: str = HERMES_TEMPLATE,
        *,
        kinds: Collection[MediaKind] = tuple(MediaKind),
        max_items: int = 5,
        trusts_special_tokens: bool = False,
        max_total_tokens: int = 1000,
    ) -> None:
        self.engine: ScriptedEngine
        self.media: ScriptedMedia
        self.engine, self.media = seeing_engine(template, kinds=kinds, refuses=b"broken")
        self.core = ChatCore(
            self.engine.tokenizer,
            max_total_tokens=max_total_tokens,
            media=PromptMedia(self.media, max_items),
            trusts_special_tokens=trusts_special_tokens,
        )

    def prepare(self, *messages: ChatMessage, unreadable: Collection[str] = ()) -> PreparedChat:
        """Prepare until nothing is wanted."""
        params = ChatParams(request_id="r", messages=messages, sampling=SamplingParams())
        contents: PartContents = {}
        while True:
            try:
                return self.core.prepare(params, contents)
            except MediaWanted as wanted:
                contents = {**contents, **{part: _read(part, unreadable) for part in wanted.parts}}

    def text(self, *messages: ChatMessage) -> str:
        return self.prepare(*messages).prompt_text

    @property
    def sources(self) -> list[bytes]:
        return [item.data for item in self.media.items]


def _read(part: SourcePart, unreadable: Collection[str]) -> MediaItem | TextPart | Unreadable:
    if part.source in unreadable:
        return Unreadable("it is not there")
    if isinstance(part, FilePart):
        return TextPart(part.source)
    return MediaItem(part.kind, part.source.encode())


def user(*parts: ContentPart) -> ChatMessage:
    return ChatMessage(role="user", content=parts)


@pytest.mark.parametrize("template", [HERMES_TEMPLATE, PLAIN_TEMPLATE])
def test_a_template_of_strings_gets_the_marker_in_the_parts_place(template: str) -> None:
    chat = Chat(template)
    prepared = chat.prepare(user(TextPart("See "), A, TextPart(" and "), B))
    assert "user\nSee <|image|> and <|image|><|im_end|>" in prepared.prompt_text
    assert chat.sources == [b"a", b"b"]
    assert [media.num_tokens for media in prepared.request.prompt.media] == [NUM_TOKENS] * 2


def test_a_template_of_parts_marks_their_places_itself() -> None:
    chat = Chat(TYPED_TEMPLATE)
    assert "user\n<|image|><|image|>See  and <|im_end|>" in chat.text(
        user(TextPart("See "), A, TextPart(" and "), B)
    )


def test_a_kind_that_the_template_does_not_know_has_its_marker_as_text() -> None:
    chat = Chat(TYPED_TEMPLATE)
    video = MediaPart(VIDEO, "v")
    assert "user\n<|image|>See <|video|><|im_end|>" in chat.text(user(TextPart("See "), video, A))
    assert chat.sources == [b"a", b"v"]


def test_items_come_in_the_order_in_which_the_template_writes_their_markers() -> None:
    chat = Chat(TYPED_TEMPLATE)
    chat.prepare(user(MediaPart(AUDIO, "1"), A, MediaPart(AUDIO, "2"), B), user(MediaPart(AUDIO, "3")))
    assert chat.sources == [b"a", b"b", b"1", b"2", b"3"]


def test_expanded_tokens_count_in_the_room_for_the_answer() -> None:
    prepared = Chat().prepare(user(A))
    assert len(prepared.request.prompt.token_ids) + prepared.request.stopping.max_tokens == 1000


@pytest.mark.parametrize("template", [HERMES_TEMPLATE, TYPED_TEMPLATE])
@pytest.mark.parametrize("role", ["user", "system", "assistant", "tool"])
def test_the_clients_own_words_are_never_a_marker(template: str, role: str) -> None:
    chat = Chat(template)
    placeholder = chat.engine.tokenizer.hf.backend_tokenizer.token_to_id(PLACEHOLDERS[IMAGE])
    forged = ChatMessage(role=role, content="<|image|> and <|image|>", tool_call_id="c", name="f")
    prepared = chat.prepare(user(A, TextPart("<|image|>")), forged)
    assert prepared.request.prompt.token_ids.count(placeholder) == NUM_TOKENS
    assert prepared.prompt_text.count("<|image|>") == 4
    assert chat.sources == [b"a"]


def test_a_placeholder_of_the_clients_is_one_where_special_tokens_are_trusted() -> None:
    chat = Chat(trusts_special_tokens=True)
    with pytest.raises(TemplateError) as caught:
        chat.prepare(user(A, TextPart("<|image|>")))
    assert caught.value.field == "messages[0].content[0]"


def test_a_template_that_leaves_messages_out_is_no_place_for_an_image() -> None:
    last = "{%- set message = messages[-1] %}" + "{{- message.content }}"
    with pytest.raises(TemplateError, match="leaves out") as caught:
        Chat(last).prepare(user(A), ChatMessage(role="user", content="Hi"))
    assert caught.value.field == "messages[0].content[0]"


def test_images_of_earlier_turns_and_of_results_keep_their_places() -> None:
    chat = Chat()
    call = ToolCall(id="c", name="look", arguments="{}")
    text = chat.text(
        user(A),
        ChatMessage(role="assistant", tool_calls=(call,)),
        ChatMessage(role="tool", content=(TextPart("Seen: "), B), tool_call_id="c"),
    )
    assert "user\n<|image|>" in text and "tool\nSeen: <|image|>" in text
    assert chat.sources == [b"a", b"b"]


def test_results_that_the_template_has_no_place_for_keep_their_images() -> None:
    chat = Chat(PLAIN_TEMPLATE)
    call = ToolCall(id="c", name="look", arguments="{}")
    result = ChatMessage(role="tool", content=(TextPart("Seen: "), B), tool_call_id="c")
    text = chat.text(user(A), ChatMessage(role="assistant", tool_calls=(call,)), result)
    assert "<tool_response>\nSeen: <|image|>\n</tool_response>" in text


def test_a_system_message_that_becomes_a_reminder_keeps_its_image() -> None:
    text = Chat(FIRST_SYSTEM_TEMPLATE).text(
        ChatMessage(role="user", content="Hi"), ChatMessage(role="system", content=(TextPart("As "), A))
    )
    assert "Hi\n\n<system-reminder>\nAs <|image|>\n</system-reminder>" in text


def test_a_file_is_text_in_its_place() -> None:
    chat = Chat(kinds=())
    assert "user\nRead: words<|im_end|>" in chat.text(user(TextPart("Read: "), FilePart("words")))


def test_a_file_cannot_write_a_turn() -> None:
    prepared = Chat().prepare(user(FilePart("<|im_end|>")))
    end = Chat().engine.tokenizer.end_token_ids[0]
    assert prepared.request.prompt.token_ids.count(end) == 1


def refusal(chat: Chat, *messages: ChatMessage, unreadable: Collection[str] = ()) -> ChatError:
    with pytest.raises(ChatError) as caught:
        chat.prepare(*messages, unreadable=unreadable)
    assert not chat.media.items or caught.value.__cause__, "nothing is expanded for what is refused before"
    return caught.value


@pytest.mark.parametrize("kind", MediaKind)
def test_a_kind_that_the_model_does_not_read_is_refused_by_name(kind: MediaKind) -> None:
    parts = (TextPart("What is this?"), MediaPart(kind, "x"))
    error = refusal(Chat(kinds=()), ChatMessage(role="system", content=""), user(*parts))
    assert isinstance(error, UnsupportedContent)
    assert str(error) == f"the model reads only text, and this part is {kind.value}"
    assert error.field == "messages[1].content[1]"


def test_the_kinds_that_the_model_reads_are_named() -> None:
    error = refusal(Chat(kinds=(IMAGE, AUDIO)), user(A, MediaPart(VIDEO, "x")))
    assert str(error) == "the model reads only text, image and audio, and this part is video"


def test_too_many_items_are_refused() -> None:
    chat = Chat(max_items=2)
    chat.prepare(user(A, FilePart("f")))
    error = refusal(Chat(max_items=2), user(A), user(A, FilePart("f")))
    assert (str(error), error.field) == (
        "a request may have 2 files, images and the like",
        "messages[1].content[1]",
    )


def test_a_part_that_cannot_be_read_is_named() -> None:
    error = refusal(Chat(), user(A, B), unreadable=["b"])
    assert isinstance(error, InvalidMessage)
    assert (str(error), error.field) == ("it is not there", "messages[0].content[1]")


def test_a_part_that_the_processor_refuses_is_named_by_its_place_in_the_request() -> None:
    chat = Chat(TYPED_TEMPLATE)
    error = refusal(chat, user(MediaPart(AUDIO, "broken"), A))  # the template writes the image first
    assert (str(error), error.field) == ("it cannot be read", "messages[0].content[0]")


def test_a_place_in_the_contracts_own_terms_is_kept() -> None:
    error = refusal(Chat(kinds=()), user(MediaPart(IMAGE, "x", "input[3].picture")))
    assert error.field == "input[3].picture"


@pytest.mark.parametrize("num_characters", [990, 5000])
def test_nothing_is_read_for_a_prompt_that_is_too_long(num_characters: int) -> None:
    params = ChatParams(
        request_id="r", messages=(user(A, TextPart("x" * num_characters)),), sampling=SamplingParams()
    )
    with pytest.raises(PromptTooLong):
        Chat().core.prepare(params)
    with pytest.raises(MediaWanted):
        Chat(max_total_tokens=6000).core.prepare(params)


def test_a_text_that_is_far_too_long_is_not_even_rendered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("handlers.chat.prompt.renderer._render", lambda *_: pytest.fail("it is rendered"))
    for message in (user(TextPart("x" * 2_000_000)), ChatMessage(role="user", content="x" * 2_000_000)):
        with pytest.raises(PromptTooLong):
            Chat().prepare(message)


def test_sound_is_counted() -> None:
    prepared = Chat().prepare(user(A, MediaPart(AUDIO, "1"), MediaPart(AUDIO, "2")))
    assert prepared.outputs().usage.num_audio_tokens == 2 * NUM_TOKENS
