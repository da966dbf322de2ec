"""Packages that transformers imports where they are installed, and that nothing here uses.

A server is installed without them. Where another program shares its environment, their import took up to a
second: accelerate loads torch's optimizers, and scikit-learn loads SciPy.
"""

from types import ModuleType
from typing import Final

_UNUSED: Final = ("accelerate", "sklearn")


def leave_out_packages(module: ModuleType) -> None:
    """Let transformers answer that it cannot import them. module: its `utils.import_utils`, just loaded."""
    for name in _UNUSED:
        question = f"is_{name}_available"
        assert hasattr(module, question), question
        setattr(module, question, _no)


def _no(*_: object, **__: object) -> bool:
    return False
