"""The entry point of the program that tries grammars."""

from engine.grammar.process import lean_xgrammar

lean_xgrammar.load()

from engine.bounded_process.fork_server import serve_children  # noqa: E402  # the next line imports xgrammar
from engine.grammar.process.child import learn, serve  # noqa: E402

serve_children(serve, learn)
