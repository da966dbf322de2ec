"""Control tokens in what a client says: they stay text, and only the template's own are obeyed.

A chat template marks turns, tool calls and thoughts with tokens such as `<|im_end|>`. A client that writes
the name of one into a message would otherwise write turns of its own, even the system's. So all that comes
from the client is text: the contents of every role, roles that no template knows, names, identifiers, tool
calls and their results, tool definitions, documents, template variables, and the start of an answer to go
on with; keys of objects too.

Control tokens (`control_tokens.py`) are all that the tokenizer calls special, and those other added tokens
that are written like tags and stand in the template, or are tags of the model's tool calls or thoughts:
`<tool_call>` and `<think>` are no special tokens in Qwen 3. Other added tokens, such as Gemma's `<table>`,
are words.

One exception: the tags of thoughts in an assistant's content are kept, for clients send back what the model
said with its thoughts in it, and templates look for the tags to leave the thoughts out. A client gains
nothing by them, since all that the assistant is to have said is the client's word anyway, and they open no
other turn.

How it is done: a request in which nothing could begin a control token, as nearly all are, takes the plain
path and pays for one search (`guard.py`). Else a sentinel, a number that the request does not hold, goes
after the first character of whatever could, so that neither the template nor its filters ever see a control
token of the client's (`sentinels.py`). The tokens that the rendered text then holds are the template's own,
also where a template takes texts apart or joins them. The sentinels are taken out, and the tokens are placed
by their ids in text that is read without them (`engine.port.text.placed_tokens`). What a template looks for
in a message that is no control token (`<answer>`) is left whole (`literals.py`).
"""
