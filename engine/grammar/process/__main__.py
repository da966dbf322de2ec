"""The entry point of the program in `server`."""

from engine.grammar.process import lean_xgrammar

lean_xgrammar.load()

from engine.grammar.process.server import main  # noqa: E402  # what it imports imports xgrammar

main()
