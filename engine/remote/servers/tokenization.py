"""The comparison of a server's tokenizer with ours, where the server has a call for it; no torch."""

from typing import Final

import msgspec

from engine.port.errors import ModelNotSupported
from engine.port.text.tokenizer import Tokenizer
from engine.remote.client.failures import BadStatus, CutOff, NoAnswer
from engine.remote.client.upstream import Upstream
from engine.remote.wire.token_api import TokenApi

# Words, digits, blanks, and scripts that vocabularies cut in different places.
_TEXT: Final = "Hello, wörld! def f(x):\n\treturn x ** 1234  # 世界 🙂"


class _Tokens(msgspec.Struct):
    tokens: list[int]


async def check_tokenizes(upstream: Upstream, api: TokenApi, served_name: str, tokenizer: Tokenizer) -> None:
    """Raise ModelNotSupported if the server makes other tokens of a text than our tokenizer does.

    A server that has no such call, or no tokenizer, is judged only by its vocabulary's last token.
    """
    if api.tokenize_path is None:
        return
    question = {"model": served_name, "prompt": _TEXT, "add_special_tokens": False}
    try:
        async with upstream.post(api.tokenize_path, msgspec.json.encode(question)) as answer:
            theirs = msgspec.json.decode(await answer.whole(), type=_Tokens).tokens
    except (BadStatus, CutOff, NoAnswer, msgspec.DecodeError, UnicodeDecodeError):
        return
    ours = tokenizer.encode(_TEXT, add_special_tokens=False)
    if theirs != ours:
        raise ModelNotSupported(
            f"{upstream.url} has another tokenizer: of {_TEXT!r} it makes the tokens {theirs}, and the "
            f"files of this model make {ours}"
        )
