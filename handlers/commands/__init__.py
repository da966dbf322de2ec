"""The subcommands of `verbatim`, one module each; its function `add` registers the subcommand."""
