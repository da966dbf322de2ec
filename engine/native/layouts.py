"""The comparison of our structures and constants with those that the library was compiled with.

If they differed, compiled code would read and write the wrong memory, so such a library is not used.
"""

import ctypes
from collections.abc import Iterator, Mapping

_KINDS = {ctypes.c_int64: 0, ctypes.c_int32: 0, ctypes.c_float: 1, ctypes.c_void_p: 2}  # of common/layout.h
_STRUCTURE = 3


def layout_differences(
    library: ctypes.CDLL, mirrors: Mapping[str, type[ctypes.Structure]], constants: Mapping[str, int]
) -> Iterator[str]:
    """Yield a phrase for each structure and constant that the library lacks or has otherwise."""
    for name, mirror in mirrors.items():
        try:
            theirs = _exported_layout(library, name)
        except ValueError:  # ctypes finds no such symbol
            yield f"{name} is not exported"
            continue
        if theirs != (ours := _layout(mirror)):
            yield f"{name} is {theirs} in C++ and {ours} in Python"
    for name, value in constants.items():
        try:
            number = ctypes.c_int64.in_dll(library, f"verbatim_constant_{name}").value
        except ValueError:
            yield f"{name} is not exported"
            continue
        if number != value:
            yield f"{name} is {number} in C++ and {value} in Python"


# The size of the structure, and the name, offset, size and kind of each field.
_Layout = tuple[int, list[tuple[str, int, int, int]]]


def _exported_layout(library: ctypes.CDLL, name: str) -> _Layout:
    text = ctypes.c_char.in_dll(library, f"verbatim_fields_{name}")
    fields = ctypes.string_at(ctypes.addressof(text)).decode().split(", ")
    size, *numbers = (ctypes.c_int64 * (1 + 3 * len(fields))).in_dll(library, f"verbatim_layout_{name}")
    return size, list(zip(fields, numbers[::3], numbers[1::3], numbers[2::3], strict=True))


def _layout(mirror: type[ctypes.Structure]) -> _Layout:
    fields = []
    for name, kind, *_ in mirror._fields_:
        place = getattr(mirror, name)
        fields.append((name, place.offset, place.size, _KINDS.get(kind, _STRUCTURE)))
    return ctypes.sizeof(mirror), fields
