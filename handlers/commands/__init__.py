"""The commands of `verbatim`, one module each, whose `add` adds it to the subparsers."""
