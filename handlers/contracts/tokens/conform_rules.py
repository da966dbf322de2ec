"""The rules of the token API."""

from typing import Final

from verbatim_kit.conform.document import Json
from verbatim_kit.conform.place import ABSENT, Place
from verbatim_kit.conform.rules import Ban, Companion, Rules, has_part_of_type, is_one_of

_PARAMS: Final = "sampling_params"
_FORMATS: Final = ("json", "json_object", "regex", "choice", "grammar", "structural_tag")
_OUTPUTS: Final = f"{_PARAMS}.structured_outputs"
_ONE_FORM: Final = "structured_outputs must have exactly one form"
_PARTS: Final = ("image_url", "audio_url", "video_url")
_PLAIN: Final[dict[Place, Json]] = {("token_ids",): [72, 105]}  # no placeholders


def _at(*names: str) -> Place:
    return (_PARAMS, *names)


def _alone(name: str) -> Companion:
    """Return a companion that removes the other formats when one is tested."""
    others: dict[Place, Json] = {
        _at("structured_outputs", other): ABSENT for other in _FORMATS if other != name
    }
    return Companion("*", f"{_OUTPUTS}.{name}*", others, _ONE_FORM)


RULES: Final = Rules(
    companions=(
        Companion(
            "*", f"{_PARAMS}.logprob_token_ids*", {_at("logprobs"): 1}, "logprob_token_ids needs logprobs"
        ),
        Companion(
            "*", f"{_PARAMS}.logprobs", {_at("logprob_token_ids"): ABSENT}, "logprob_token_ids needs logprobs"
        ),
        Companion(
            "*", f"{_PARAMS}.max_tokens", {_at("min_tokens"): ABSENT}, "min_tokens must not exceed max_tokens"
        ),
        *(_alone(name) for name in _FORMATS),
        Companion(
            "*",
            f"{_OUTPUTS}.disable_*",
            {_at("structured_outputs", "json_object"): True},
            "it is an option of a form",
        ),
        Companion(
            "*",
            "return_token_ids",
            {**_PLAIN, ("content_parts",): ABSENT},
            "only some models read files",
            has_part_of_type(*_PARTS),
        ),
        Companion("*", "content_parts", _PLAIN, "each placeholder needs a file", is_one_of(None)),
    ),
    bans=(
        Ban("*", f"{_OUTPUTS}.*", _ONE_FORM, is_one_of(None)),
        Ban("*", f"{_OUTPUTS}.json_object", _ONE_FORM, is_one_of(False)),
        Ban(
            "*",
            "content_parts*",
            "the model reads only text",
            has_part_of_type(*_PARTS),
            True,
        ),
    ),
    lengths=(_at("max_tokens"),),
    overload_statuses=(429,),
)
