"""Records calls of compiled functions with all memory that they read and write, for replay.cpp.

What is passed is found from the arguments: addresses lead to tensors and ctypes structures that are alive,
and structures lead to further addresses.
"""

import bisect
import ctypes
import gc
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from typing_extensions import override

from engine.native import library
from engine.native.library import Loaded

_EXACT = 0
_KINDS = {torch.float32: 1, torch.bfloat16: 2, torch.float64: 3}  # as in replay.cpp
_POINTER = ctypes.c_void_p


class Memory(NamedTuple):
    """A tensor's storage, or a ctypes structure or array."""

    start: int
    size: int
    owner: Any

    def bytes(self) -> bytes:
        return ctypes.string_at(self.start, self.size) if self.size else b""


class Place(NamedTuple):
    """A place in the memory of a call. region: the index of its memory."""

    region: int
    offset: int


class Call:
    """A call that is being recorded: the memory that it can reach, and the pointers in it."""

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        self._name = name
        self._alive = _alive_memory()
        self._starts = [memory.start for memory in self._alive]
        self._regions: list[Memory] = []
        self._kinds: list[int] = []
        self._pointers: list[tuple[Place, Place]] = []
        self._arguments = [self._argument(argument) for argument in arguments]
        self._before = [memory.bytes() for memory in self._regions]

    def _argument(self, argument: Any) -> Place | int:
        if hasattr(argument, "_obj"):  # of ctypes.byref
            argument = argument._obj
        if isinstance(argument, ctypes.Structure):
            return self._place(ctypes.addressof(argument), argument)
        number = argument.value if isinstance(argument, ctypes._SimpleCData) else argument
        assert number is None or isinstance(number, int)
        # Sizes are small; a larger number is an address.
        return self._place(number) if number is not None and number > 1 << 32 else int(number or 0)

    def _place(self, address: int, owner: Any = None) -> Place:
        memory = self._find(address) if owner is None else Memory(address, ctypes.sizeof(owner), owner)
        for index, known in enumerate(self._regions):
            if known.start == memory.start:
                return Place(index, address - memory.start)
        region = len(self._regions)
        self._regions.append(memory)
        if isinstance(memory.owner, torch.Tensor):
            self._kinds.append(_KINDS.get(memory.owner.dtype, _EXACT))
        else:
            self._kinds.append(_EXACT)
            for offset, pointed in _addresses(memory.owner):
                self._pointers.append((Place(region, offset), self._place(pointed)))
        return Place(region, address - memory.start)

    def _find(self, address: int) -> Memory:
        memory = self._alive[bisect.bisect_right(self._starts, address) - 1]
        assert memory.start <= address <= memory.start + memory.size, f"{self._name}: who owns {address:#x}?"
        return memory

    def end(self, result: int | None) -> bytes:
        """Return the record. result: what the function returned, if it returns something."""
        parts = [_text(self._name), _numbers(len(self._regions))]
        for memory, kind, before in zip(self._regions, self._kinds, self._before, strict=True):
            after = memory.bytes()
            parts += [_numbers(kind, memory.size), before, _numbers(after != before)]
            if after != before:
                parts.append(after)
        parts.append(_numbers(len(self._pointers), *(n for pair in self._pointers for p in pair for n in p)))
        parts.append(_numbers(len(self._arguments)))
        for argument in self._arguments:
            parts.append(_numbers(1, *argument) if isinstance(argument, Place) else _numbers(0, argument))
        parts.append(_numbers(result is not None, result or 0))
        return b"".join(parts)


def _alive_memory() -> list[Memory]:
    """Return the memory of all tensors and ctypes objects, in order, without what lies within another's."""
    memories: list[Memory] = []
    for memory in sorted(_owned_memory(), key=lambda memory: (memory.start, -memory.size)):
        if not memories or memory.start >= memories[-1].start + memories[-1].size:
            memories.append(memory)
    return memories


def _owned_memory() -> Iterator[Memory]:
    for owner in gc.get_objects():
        kind = type(owner)  # some objects lie about their class, or warn when asked
        if issubclass(kind, torch.Tensor):
            if owner.device.type == "cpu" and owner.layout is torch.strided:
                storage = owner.untyped_storage()
                yield Memory(storage.data_ptr(), storage.nbytes(), owner)
        elif issubclass(kind, ctypes.Structure | ctypes.Array):
            yield Memory(ctypes.addressof(owner), ctypes.sizeof(owner), owner)


def _addresses(owner: Any, offset: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the offset and the value of each pointer in a structure or array that is not null."""
    if isinstance(owner, ctypes.Array) and issubclass(owner._type_, ctypes.Structure | ctypes.Array):
        for index, item in enumerate(owner):
            yield from _addresses(item, offset + index * ctypes.sizeof(owner._type_))
    elif isinstance(owner, ctypes.Structure):
        for name, kind, *_ in owner._fields_:
            own = offset + getattr(type(owner), name).offset
            if kind is _POINTER:
                if value := getattr(owner, name):
                    yield own, value
            elif issubclass(kind, ctypes.Structure | ctypes.Array):
                yield from _addresses(getattr(owner, name), own)


class _Recorder:
    """The library as its callers see it, whose calls are recorded."""

    def __init__(self, real: ctypes.CDLL, calls: list[bytes], renamed: Mapping[str, str]) -> None:
        self._real = real
        self._calls = calls
        self._renamed = renamed

    def __getattr__(self, name: str) -> "_Function":
        return _Function(self._renamed.get(name, name), getattr(self._real, name), self._calls)

    def __getitem__(self, name: str) -> "_Function":
        return _Function(self._renamed.get(name, name), self._real[name], self._calls)


class _Function:
    def __init__(self, name: str, real: Any, calls: list[bytes]) -> None:
        vars(self).update(name=name, real=real, calls=calls)

    @override
    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.real, name, value)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["real"], name)

    def __call__(self, *arguments: Any) -> Any:
        call = Call(self.name, arguments)
        result = self.real(*arguments)
        returns_something = self.real.restype is ctypes.c_int64
        self.calls.append(call.end(result if returns_something else None))
        return result


@contextmanager
def recorded_calls(renamed: Mapping[str, str]) -> Iterator[list[bytes]]:
    """Yield a list to which all calls of compiled functions are added while the context lasts.

    renamed: other names under which calls are recorded, of functions that compute the same.
    """
    calls: list[bytes] = []
    real = library.compiled()
    recorder: Any = _Recorder(real, calls, renamed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library, "loaded", lambda: Loaded(recorder))
        yield calls


def record(calculate: Callable[[], object], path: Path, renamed: Mapping[str, str] | None = None) -> int:
    """Write the calls that are made by this to a file, and return their number."""
    with recorded_calls(renamed or {}) as calls:
        calculate()
    path.write_bytes(_numbers(len(calls)) + b"".join(calls))
    return len(calls)


def written_memory(path: Path) -> list[bytes]:
    """Return what replayed calls wrote, one region of memory after another."""
    content, regions, place = path.read_bytes(), [], 0
    while place < len(content):
        [size] = struct.unpack_from("<q", content, place)
        regions.append(content[place + 8 : place + 8 + size])
        place += 8 + size
    return regions


def _numbers(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}q", *numbers)


def _text(text: str) -> bytes:
    return _numbers(len(text)) + text.encode()
