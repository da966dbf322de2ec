"""See `server`."""

from engine.grammar_process import lean_xgrammar

lean_xgrammar.load()

from engine.grammar_process.server import main  # noqa: E402  # what it imports imports xgrammar

main()
