"""The command line of `verbatim top`."""

import argparse

_USAGE_ERROR = 2
_LIBRARY = "textual"  # of the extra


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the subcommands of `verbatim`."""
    parser = commands.add_parser(
        "top",
        help="watch a running server in the terminal",
        description="Show each second what a server's /metrics say: requests, batch, KV cache, tokens per "
        "second, latencies and refusals. q quits. Metrics of vLLM are shown too.",
    )
    parser.add_argument(
        "--base-url", default="http://127.0.0.1:8080", metavar="URL", help="[default: %(default)s]"
    )
    parser.add_argument("--api-key", metavar="KEY", help="API key, sent as a bearer token")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from handlers.process.standard_output import complain

    try:
        from handlers.commands.top.screen import Top
    except ModuleNotFoundError as error:
        if error.name != _LIBRARY:
            raise
        complain("textual is missing; pip install 'verbatim-server[top]'")
        return _USAGE_ERROR
    Top(options.base_url, options.api_key).run()
    return 0
