"""Run `python -m handlers.conform --contract CONTRACT --base-url URL`, an alias of `verbatim conform`."""

import sys

from handlers.conform.cli import main

if __name__ == "__main__":
    sys.exit(main())
