"""Limits that keep code readable: no function over 60 lines, no file of 400 or more."""

import ast
from pathlib import Path

import pytest

from tests.repo.tree import ROOT, python_files

CODE = python_files("referee", "sample_bots", "tools", "bench")
VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


@pytest.mark.parametrize("file", CODE, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_file_and_no_function_is_too_long(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count("\n") < 400
    long = [
        (node.name, node.lineno)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > 60
    ]
    assert long == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [file for file in CODE if VAGUE & {*file.with_suffix("").parts}] == []
