"""The import of torchvision, for the tests of models that need it; `make test-torchvision` runs them."""

from typing import Any

import torch
from transformers.utils.import_utils import is_torchvision_available

# torchvision's package on the index is made for torch with CUDA. Beside a torch for CPUs alone, its compiled
# library cannot be loaded, and its import fails at two operators for which it registers functions. Here they
# are declared, and never computed: the processors and encoders of models call none.
_MISSING = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)

if is_torchvision_available() and torch.version.cuda is None:
    library_class: Any = torch.library.Library  # which has no annotations
    library = library_class("torchvision", "DEF")
    for schema in _MISSING:
        library.define(schema)
