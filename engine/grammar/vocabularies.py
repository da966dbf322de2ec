"""The vocabularies of one tokenizer, as grammars of different kinds read it."""

from functools import cached_property

from engine.grammar.vocabulary import GrammarVocabulary
from engine.port.text.tokenizer import Tokenizer


class Vocabularies:
    """The vocabularies of one tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    @cached_property
    def of_text(self) -> GrammarVocabulary:
        """The vocabulary in which special tokens have no text, so that none can stand inside a string."""
        is_special = self._tokenizer.is_special
        shown = (b"" if is_special(token_id) else token for token_id, token in enumerate(self._tokens))
        return GrammarVocabulary([*shown], self._tokenizer.end_token_ids)

    @cached_property
    def of_tags(self) -> GrammarVocabulary:
        """The vocabulary in which special tokens have their text: structural tags may name them, and the text
        between may have them."""
        return GrammarVocabulary(self._tokens, self._tokenizer.end_token_ids)

    @cached_property
    def _tokens(self) -> list[bytes]:
        return [*map(self._tokenizer.token_bytes, range(self._tokenizer.vocab_size)), b""]
