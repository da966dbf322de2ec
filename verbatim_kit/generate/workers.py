"""Work on contracts side by side, on as many processes as there are processors."""

import gc
import multiprocessing
import os
import subprocess
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.context import BaseContext
from pathlib import Path

# The libraries of the generator take a second to load, so they are loaded once, where workers are forked.
_LIBRARIES = [f"{__package__}.preload"]


def emit_contracts(folders: list[Path], tree: Path) -> None:
    """Write the contracts of `folders` into the tree; SystemExit lists the faults of all of them, by name."""
    num_processes = num_workers(len(folders))
    if num_processes == 1:
        faults = [_emit(folder, tree) for folder in folders]
    else:
        faults = _emit_side_by_side(folders, tree, num_processes)
    if found := [fault for fault in faults if fault is not None]:
        raise SystemExit("\n".join(found))


def num_workers(num_tasks: int) -> int:
    """Return how many processes work on so many tasks."""
    return max(1, min(num_tasks, os.cpu_count() or 1))


def run_side_by_side(commands: Iterable[list[str]], folder: Path) -> list[str]:
    """Run all commands at once in a folder, and return what the failed ones wrote to stderr, in order."""
    running = [
        subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]
    errors = [process.communicate()[1] for process in running]
    return [error for process, error in zip(running, errors, strict=True) if process.returncode != 0]


def _emit_side_by_side(folders: list[Path], tree: Path, num_processes: int) -> list[str | None]:
    """Start with the largest contract, which takes longest; return the faults in the order of `folders`."""
    by_size = sorted(folders, key=_size, reverse=True)
    # A worker ends after a few contracts. Looking for cycles to free meanwhile takes a fifth of its time.
    with ProcessPoolExecutor(num_processes, _context(), initializer=gc.disable) as pool:
        futures = {folder: pool.submit(_emit, folder, tree) for folder in by_size}
    failures = []
    for folder in folders:
        if (error := futures[folder].exception()) is not None:
            error.add_note(f"This happened to specs/{folder.name}.")
            failures.append(error)
    if failures:
        raise BaseExceptionGroup("the generator itself failed", failures)
    return [futures[folder].result() for folder in folders]


def _context() -> BaseContext:
    """Return how workers are started: from a process that has the libraries, or anew where none can fork."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_LIBRARIES)
    return context


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def _emit(folder: Path, tree: Path) -> str | None:
    from verbatim_kit.generate.contract import emit

    return emit(folder, tree)
