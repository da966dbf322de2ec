"""Work on what strangers send, in processes of its own that are bounded and can be ended.

A program loads its libraries once, and forks a child for each task (`fork_server.py`). The child shuts itself
in (`child.py`), reads its task from a channel, and writes the result to it. `client.py` is the side of the
process that serves: it starts the program, sends it tasks, and starts it again where it has died. Messages
between them are in `messages.py`. Programs are modules that call `fork_server.serve_children`: that of
grammars is `engine.grammar.ebnf.process`, that of files `engine.media.process`. Neither this room nor they
may import torch, so that a program starts in a second and is forked in milliseconds.
"""
