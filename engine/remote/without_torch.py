"""A process that never loads torch: a front over a remote engine starts in a second and takes 100 MB."""

import os
import sys


def hide_torch() -> None:
    """Make every import of torch fail from now on, unless it is loaded already.

    transformers imports torch with its first tokenizer wherever torch is installed, and without it reads
    tokenizers and chat templates just as well. It would complain about the lack, which is intended here.
    """
    if "torch" not in sys.modules:
        os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
        sys.modules["torch"] = None  # type: ignore[assignment]  # the import system's mark of a missing module
