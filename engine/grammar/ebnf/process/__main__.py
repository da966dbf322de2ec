"""The entry point of the program that tries grammars."""

from engine.grammar.ebnf.process import lean_xgrammar

lean_xgrammar.load()

from engine.bounded_process.fork_server import serve_children  # noqa: E402  # the next line imports xgrammar
from engine.grammar.ebnf.process.child import learn, serve  # noqa: E402

serve_children(serve, learn)
