"""A ladder as files: JSON, CSV, Markdown, or a static site. From the same ladder the same bytes."""

import enum
from collections.abc import Iterator
from typing import assert_never

from referee.formats.export_csv import csv_files
from referee.formats.export_json import json_text
from referee.formats.export_md import md_text
from referee.formats.exported import Exported
from referee.formats.site import site_files

__all__ = ["ExportFormat", "Exported", "exported_files"]


class ExportFormat(enum.StrEnum):
    """What a ladder is written as. Values are those of `--format`."""

    JSON = "json"  # all in one file, for programs
    CSV = "csv"  # a file a table, for spreadsheets
    MD = "md"  # the table for a README or an issue
    HTML = "html"  # a static site with a page for every entry, bot and match


def exported_files(form: ExportFormat, exported: Exported) -> Iterator[tuple[str, str]]:
    """Yield the files of an export: path in the folder with `/` between its parts, and text."""
    match form:
        case ExportFormat.JSON:
            yield "ladder.json", json_text(exported)
        case ExportFormat.CSV:
            yield from csv_files(exported)
        case ExportFormat.MD:
            yield "standings.md", md_text(exported)
        case ExportFormat.HTML:
            yield from site_files(exported)
        case _:
            assert_never(form)
