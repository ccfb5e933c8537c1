"""Hatch build hook: Python modules and typed stubs from the protocol's .proto files.

It serves two distributions, `tichu-referee` (the repository's root) and `tichu-bot` (this folder).
Each names in its pyproject.toml the packages to fill:

    [tool.hatch.build.hooks.custom]
    path = "hatch_build.py"
    stubs = ["tichu_bot/_gen"]

`protoc` writes imports from the top (`from tichu.referee.v1 import ...`). A top-level package
`tichu` would be one that two distributions own, so the imports are moved below the package that
holds them: `from tichu_bot._gen.tichu.referee.v1 import ...`. The .proto files keep their own
names, which is what descriptors, reflection and other languages see.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROTO_PLACES = ("proto", "../../proto")  # inside an sdist and at the root; in the repository
IMPORT = re.compile(r"^(?P<word>from|import) (?P<module>tichu\.)", re.MULTILINE)


class ProtoStubs(BuildHookInterface):  # type: ignore[type-arg]  # generic only when type checked
    """Fills each package named by `stubs` before anything is packed or linked."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        """Generate; `_gen` is in .gitignore, so it is named to the builder as an artifact.

        An sdist carries the .proto files instead of what is made from them.
        """
        if self.target_name == "sdist":
            return
        root = Path(self.root)
        proto = find_proto(root)
        for package in self.config["stubs"]:
            generate(proto, root / package)
            artifacts = build_data["artifacts"]
            assert isinstance(artifacts, list)
            artifacts.append(f"/{package}/")


def find_proto(root: Path) -> Path:
    """Return the folder below which `tichu/referee/v1/*.proto` lies."""
    for place in PROTO_PLACES:
        if (root / place / "tichu").is_dir():
            return (root / place).resolve()
    raise FileNotFoundError(f"no proto/tichu in {root} or two levels up")


def generate(proto: Path, package: Path) -> None:
    """Make `package` hold exactly what the .proto files below `proto` say, and copies of them."""
    files = sorted(file.relative_to(proto) for file in proto.glob("tichu/**/*.proto"))
    with tempfile.TemporaryDirectory(prefix="stubs-") as temporary:
        made = Path(temporary) / "out"
        made.mkdir()
        run_protoc(proto, files, made)
        for module in [*made.rglob("*.py"), *made.rglob("*.pyi")]:
            move_imports(module, below=dotted(package))
        for file in files:
            shutil.copyfile(proto / file, made / file)
        for folder in [made, *folders_below(made)]:
            (folder / "__init__.py").write_text('"""Generated from the .proto files."""\n')
        put_in_place(made, package)


def run_protoc(proto: Path, files: list[Path], out: Path) -> None:
    """Run the protoc of grpcio-tools as a process; its errors go to stderr as they are."""
    outputs = ("python_out", "grpc_python_out", "mypy_out", "mypy_grpc_out")
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={proto}"]
    command += [f"--{output}={out}" for output in outputs]
    command += ["--mypy_opt=quiet", "--mypy_grpc_opt=quiet"]
    command += [f"--plugin={name}={plugin(name)}" for name in plugin_names()]
    subprocess.run([*command, *map(str, files)], check=True)


def plugin_names() -> Iterator[str]:
    """Yield the names under which protoc looks for the typed stubs' generators."""
    yield "protoc-gen-mypy"
    yield "protoc-gen-mypy_grpc"


def plugin(name: str) -> Path:
    """Return the script of the mypy-protobuf this interpreter sees, be PATH what it may."""
    for file in metadata.files("mypy-protobuf") or ():
        if file.stem == name:
            return Path(str(file.locate())).resolve()
    raise FileNotFoundError(f"mypy-protobuf is installed without its script {name}")


def move_imports(module: Path, *, below: str) -> None:
    """Rewrite `from tichu.` and `import tichu.` at the start of a line."""
    text = module.read_text(encoding="utf-8")
    module.write_text(IMPORT.sub(rf"\g<word> {below}.\g<module>", text), encoding="utf-8")


def dotted(package: Path) -> str:
    """Return the import name of `<top package>/_gen`."""
    return f"{package.parent.name}.{package.name}"


def folders_below(folder: Path) -> list[Path]:
    """Return every folder below, whatever its depth."""
    return [entry for entry in folder.rglob("*") if entry.is_dir()]


def put_in_place(made: Path, package: Path) -> None:
    """Bring `package` to the content of `made`, a file at a time, leaving equal files untouched.

    A process that imports the package meanwhile never meets a missing module.
    """
    wanted = {file.relative_to(made) for file in made.rglob("*") if file.is_file()}
    for file in sorted(wanted):
        target = package / file
        if target.is_file() and target.read_bytes() == (made / file).read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(f".{target.name}.new")
        shutil.copyfile(made / file, fresh)
        fresh.replace(target)
    for file in package.rglob("*"):
        kept = file.relative_to(package) in wanted or file.parent.name == "__pycache__"
        if file.is_file() and not kept:
            file.unlink()
