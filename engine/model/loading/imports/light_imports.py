"""The import of torch and transformers without the parts that a server never runs.

torch, transformers and the modelling code of one model took 3.6 s with the compiler alone left out, and take
2.2 s, on a Cascade Lake. What the first weights without data would import is another half second.
"""

from engine.model.loading.imports.meta_kernels import leave_out_meta_kernels
from engine.model.loading.imports.module_index import index_quickly
from engine.model.loading.imports.without_compiler import leave_out_compiler


def import_lightly() -> None:
    """Import torch, and prepare the import of transformers. Does nothing for what is imported already."""
    with leave_out_meta_kernels():
        leave_out_compiler()
    index_quickly()
