"""The words of a transcript, from the bytes of its tokens."""

from handlers.transcription.words import split_words


def words_of(tokens: list[bytes | str], language: str = "en") -> list[tuple[str, int, int]]:
    data = [token if isinstance(token, bytes) else token.encode() for token in tokens]
    return [(word.text, word.first, word.end) for word in split_words(data, language)]


def test_a_word_begins_with_a_blank() -> None:
    assert words_of([" he", "llo", " wor", "ld"]) == [(" hello", 0, 2), (" world", 2, 4)]


def test_marks_belong_to_the_word_beside_them() -> None:
    assert words_of([" (", "yes", ")", ",", " no", " .", ' "', " well", "-", "known"]) == [
        (" (yes),", 0, 4),
        (' no . "', 4, 7),
        (" well-known", 7, 10),
    ]
    assert words_of([" no", " “", " yes"]) == [(" no", 0, 1), (" “ yes", 1, 3)]


def test_a_character_that_several_tokens_spell_is_not_cut() -> None:
    euro = "€".encode()
    assert words_of([b" 1", euro[:1], euro[1:], b" 2"]) == [(" 1€", 0, 3), (" 2", 3, 4)]


def test_languages_without_blanks_have_a_word_for_each_token_of_whole_characters() -> None:
    data = "今".encode()
    assert words_of([data[:2], data[2:], "天", "。"], "zh") == [("今", 0, 2), ("天。", 2, 4)]
    assert words_of(["今", "天"], "en") == [("今天", 0, 2)]


def test_no_tokens_have_no_words_and_marks_alone_stay() -> None:
    assert words_of([]) == []
    assert words_of([" ..."]) == [(" ...", 0, 1)]
    assert words_of([" ("]) == [(" (", 0, 1)]
