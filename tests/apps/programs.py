"""The paths of the programs that `make test-apps` installs."""

from pathlib import Path
from typing import Final

NODE: Final = Path(__file__).parent / "node"
CLAUDE: Final = NODE / "node_modules" / "@anthropic-ai" / "claude-code" / "bin" / "claude.exe"
