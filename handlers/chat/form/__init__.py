"""The forms that an answer must have: response formats and schemas as grammars."""
