"""Imports all that emits a contract, for the process that workers are forked from.

It looks for no cycles to free, nor do the workers: the search would take a quarter of the imports' time.
"""

import gc
from importlib import import_module

gc.disable()
for _name in (f"{__package__}.contract", "datamodel_code_generator.parser.openapi"):
    import_module(_name)
