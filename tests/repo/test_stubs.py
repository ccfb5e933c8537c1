"""What the build hook makes from the .proto files."""

import importlib
import re
from importlib import resources
from pathlib import Path
from types import ModuleType

import pytest

from tests.repo.tree import ROOT

PROTOS = sorted((ROOT / "proto" / "tichu" / "referee" / "v1").glob("*.proto"))
PACKAGES = ("referee._gen.tichu.referee.v1", "tichu_bot._gen.tichu.referee.v1")


def generated(package: str, name: str) -> ModuleType:
    return importlib.import_module(f"{package}.{name}")


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("proto", PROTOS, ids=lambda proto: proto.stem)
def test_each_proto_file_has_its_module_and_travels_with_it(package: str, proto: Path) -> None:
    module = generated(package, f"{proto.stem}_pb2")
    assert module.DESCRIPTOR.name == f"tichu/referee/v1/{proto.name}"
    assert resources.files(package).joinpath(proto.name).read_bytes() == proto.read_bytes()


@pytest.mark.parametrize("package", PACKAGES)
def test_generated_code_imports_only_from_its_own_package(package: str) -> None:
    folder = Path(str(generated(package, "referee_pb2").__file__)).parent
    modules = [*folder.glob("*.py"), *folder.glob("*.pyi")]
    assert len(modules) > 4 * len(PROTOS)
    strays = [
        (module.name, line)
        for module in modules
        for line in module.read_text().splitlines()
        if re.match(r"\s*(from|import) tichu\.", line)
    ]
    assert strays == []


def test_referee_and_bot_share_a_process_without_a_clash() -> None:
    ours, theirs = (generated(package, "referee_pb2") for package in PACKAGES)
    sent = ours.PlayRequest(hello=ours.Hello())
    assert theirs.PlayRequest.FromString(sent.SerializeToString()).HasField("hello")
