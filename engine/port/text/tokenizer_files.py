"""The files of a tokenizer, read with only the library `tokenizers`, for a front without transformers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from tokenizers import AddedToken
from tokenizers import Tokenizer as Backend

_ADDED: Final = "added_tokens_decoder"


class FastTokenizer(Protocol):
    """The part of transformers' PreTrainedTokenizerFast that is used here; it declares most of it as Any."""

    chat_template: Any  # one as a text, or several by their names; None where there is none

    @property
    def backend_tokenizer(self) -> Any:
        """The tokenizer of the library `tokenizers`."""
        ...

    @property
    def special_tokens_map(self) -> Any:
        """The texts of the tokens that have a name, by these, such as bos_token."""
        ...

    @property
    def added_tokens_decoder(self) -> Mapping[int, AddedToken]:
        """The added tokens by their ids."""
        ...

    @property
    def bos_token_id(self) -> Any:
        """The id of the token of a beginning; None where there is none."""
        ...

    @property
    def eos_token_id(self) -> Any:
        """The id of the token of an end; None where there is none."""
        ...

    def get_added_vocab(self) -> dict[str, int]:
        """Return the ids of the added tokens by their texts."""
        ...


class TokenizerFiles:
    """A FastTokenizer made of the files in a directory. tokenizer.json is taken as it is written.

    transformers makes some models' tokenizers anew from the file's vocabulary, which gives the same tokens
    where the file is its own (tests/unit/engine/port/text/test_tokenizer_files.py).
    """

    def __init__(self, directory: Path) -> None:
        """Read the files. Raises what the libraries raise for files that cannot be read."""
        config = _read(directory / "tokenizer_config.json")
        if _ADDED not in config:  # as older checkpoints are
            config |= _read(directory / "special_tokens_map.json")
        self.backend_tokenizer: Any = Backend.from_file(str(directory / "tokenizer.json"))
        added = config.get(_ADDED, {})
        more = config.get("extra_special_tokens") or config.get("additional_special_tokens") or ()
        named = more if isinstance(more, dict) else {}
        named |= {name: token for name, token in config.items() if name.endswith("_token")}
        self.special_tokens_map = {
            name: _text(token) for name, token in named.items() if isinstance(token, str | dict)
        }
        special = (*self.special_tokens_map.values(), *(() if isinstance(more, dict) else more))
        tokens = [AddedToken(**added[token_id]) for token_id in sorted(added, key=int)]
        known = {token.content for token in (*tokens, *self.added_tokens_decoder.values())}
        texts = [text for text in map(_text, special) if text not in known]
        self.backend_tokenizer.add_tokens([*tokens, *(AddedToken(text, special=True) for text in texts)])
        self.chat_template = _chat_template(directory, config.get("chat_template"))
        self.response_template = config.get("response_template")
        self.bos_token_id, self.eos_token_id = map(self._id_of, ("bos_token", "eos_token"))

    @property
    def added_tokens_decoder(self) -> Mapping[int, AddedToken]:
        """The added tokens by their ids."""
        decoder: Mapping[int, AddedToken] = self.backend_tokenizer.get_added_tokens_decoder()
        return decoder

    def get_added_vocab(self) -> dict[str, int]:
        """Return the ids of the added tokens by their texts."""
        return {token.content: token_id for token_id, token in sorted(self.added_tokens_decoder.items())}

    def _id_of(self, name: str) -> int | None:
        token_id: int | None = self.backend_tokenizer.token_to_id(self.special_tokens_map.get(name, ""))
        return token_id


def _read(path: Path) -> dict[str, Any]:
    """Return what a file of settings holds; nothing if there is no such file."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def _text(token: str | dict[str, Any]) -> str:
    """Return the text of a token, which a file has by itself or with its properties."""
    return token if isinstance(token, str) else str(token["content"])


def _chat_template(directory: Path, of_settings: Any) -> str | dict[str, str] | None:
    """Return the template or templates: those in files of their own come before those in the settings."""
    paths = [directory / "chat_template.jinja", *(directory / "additional_chat_templates").glob("*.jinja")]
    found = {
        path.stem if path.parent != directory else "default": path.read_text(encoding="utf-8")
        for path in paths
        if path.is_file()
    }
    if not found:
        if isinstance(of_settings, list):
            return {each["name"]: each["template"] for each in of_settings}
        template: str | None = of_settings
        return template
    return found["default"] if found.keys() == {"default"} else found
