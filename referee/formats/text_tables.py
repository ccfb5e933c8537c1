"""Tables in plain text: columns one below the other."""

from collections.abc import Iterator, Sequence

from referee.formats.printable import printable

_GAP = "  "


def aligned(
    titles: Sequence[str], rows: Sequence[Sequence[str]], *, texts: Sequence[bool]
) -> Iterator[str]:
    """Yield a table line by line, without blanks at the ends; `texts` begin at the left.

    Cells are made safe to print.

    >>> list(aligned(["name", "n"], [["a", "10"], ["bc", "9"]], texts=[True, False]))
    ['name   n', 'a     10', 'bc     9']
    """
    lines = [list(titles), *([printable(cell) for cell in row] for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(titles))]
    for line in lines:
        cells = [
            cell.ljust(width) if is_text else cell.rjust(width)
            for cell, width, is_text in zip(line, widths, texts, strict=True)
        ]
        yield _GAP.join(cells).rstrip()
