"""`python -m handlers.conform --contract CONTRACT --base-url URL`"""

import signal
import sys

from handlers.process.end_by_signal import ended_by
from handlers.process.exit_status import ExitStatus

if __name__ == "__main__":
    with ended_by(signal.SIGINT):
        from handlers.conform.cli import main
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(ExitStatus.INTERRUPTED)
