"""Printing of results as tables in Markdown."""

from collections.abc import Sequence

Row = dict[str, str | float]


def print_table(rows: Sequence[Row]) -> None:
    """Print rows with equal keys: texts left-aligned, numbers right-aligned with three significant digits."""
    cells = [[_cell(value) for value in row.values()] for row in rows]
    names = list(rows[0])
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    is_text = [isinstance(value, str) for value in rows[0].values()]
    for line in (names, ["-" * width for width in widths], *cells):
        aligned = (
            cell.ljust(width) if text else cell.rjust(width)
            for cell, width, text in zip(line, widths, is_text, strict=True)
        )
        print(f"| {' | '.join(aligned)} |", flush=True)


def print_tables(tables: Sequence[Sequence[Row]]) -> list[Row]:
    """Print several tables, and return the rows of all."""
    for table in tables:
        print_table(table)
    return [row for table in tables for row in table]


def _cell(value: str | float) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return str(value)
