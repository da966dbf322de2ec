"""A process that never loads torch: a front over a remote engine starts in two seconds and takes 130 MB."""

import os
import sys

from engine.extras import missing


def import_without_torch() -> None:
    """Make every import of torch fail from now on, and import transformers' tokenizers if they are installed.

    transformers imports torch with its first tokenizer wherever torch is installed, and without it reads
    tokenizers and chat templates just as well. It would complain about the lack, which is intended here.
    torch stays where it is loaded already.
    """
    if "torch" not in sys.modules:
        os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
        sys.modules["torch"] = None  # type: ignore[assignment]  # the import system's mark of a missing module
    if not missing("transformers"):
        from transformers import AutoTokenizer, PreTrainedTokenizerFast  # noqa: F401  # in modules of their own
