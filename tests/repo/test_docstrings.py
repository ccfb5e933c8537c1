"""The examples in docstrings run and print what they say."""

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import referee
import tichu_bot


def module_names(package: ModuleType) -> list[str]:
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [module.name for module in found if not {"_gen", "__main__"} & {*module.name.split(".")}]


@pytest.mark.parametrize("name", [*module_names(referee), *module_names(tichu_bot)])
def test_docstring_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
