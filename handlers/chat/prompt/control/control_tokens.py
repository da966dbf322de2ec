"""The tokens by which a template steers its model."""

from collections.abc import Iterable, Mapping

from engine.port.text.tokenizer_files import FastTokenizer


def control_tokens(tokenizer: FastTokenizer, written: Iterable[str]) -> Mapping[str, int]:
    """Return the ids of the control tokens by their text.

    written: the template's source, and the tags of the formats of tool calls and thoughts. An added token
        that is not special counts if it is written like a tag and stands in one of these.
    """
    texts = tuple(written)
    return {
        token.content: token_id
        for token_id, token in tokenizer.added_tokens_decoder.items()
        if _can_be_cut(token.content)
        and (token.special or (_is_tag(token.content) and any(token.content in text for text in texts)))
    }


def _can_be_cut(text: str) -> bool:
    """Return False for blanks, which mark nothing even as a special token, and for a single character,
    which cannot be split.
    """
    return len(text) > 1 and not text.isspace()


def _is_tag(text: str) -> bool:
    """Return whether the text is in brackets of some kind, as `<think>` is and `word` or `---` is not."""
    return not _is_plain(text[0]) and not _is_plain(text[-1]) and any(map(str.isalnum, text))


def _is_plain(character: str) -> bool:
    return character.isalnum() or character.isspace()
