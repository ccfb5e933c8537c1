"""Execute the steps of the Dockerfile without a container engine, then start what it starts.

    python tools/docker_steps.py [ARGUMENT ...]

Every stage gets an empty folder as its root. `FROM` gives it this interpreter in place of the base
image; `COPY` copies, from the repository as .dockerignore leaves it or from the root of an earlier
stage; `RUN` runs with the image's own top folders (`/opt`, `/src`, `/data`) rewritten to that root.
All stages use the same path in turn, so that scripts which name their interpreter stay true.

With arguments the entry point runs once with them, in the image's folder and, where we are root and
the interpreter can be reached by others, as the image's user. Without arguments the image's command
is started and the HEALTHCHECK repeated until it holds.

What this does not show: the base image itself, and anything that needs its system packages.
"""

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
REWRITTEN = re.compile(r"(?<![\w./-])/(?=(?:opt|src|data)(?:/|\b))")
HEALTH_ATTEMPTS = 30
HEALTH_INTERVAL_S = 1.0


@dataclass(kw_only=True)
class Stage:
    """What the instructions so far have made of one image."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    user: tuple[int, int] | None = None
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)

    def path(self, inside: str) -> Path:
        """Return where a path of the image lies here; a relative one is below WORKDIR."""
        return self.root / os.path.join(self.workdir, inside).lstrip("/")

    def rewrite(self, text: str) -> str:
        """Put the image's own top folders below the stage's root."""
        return REWRITTEN.sub(f"{self.root}/", text)

    def environment(self) -> dict[str, str]:
        """Return our environment under the image's; $PATH was expanded by ENV."""
        return {**os.environ, **self.env}


class DockerfileError(Exception):
    """The Dockerfile has a step that this runner cannot execute."""


def instructions(dockerfile: str) -> Iterator[tuple[str, str]]:
    """Yield (instruction, rest) with continued lines joined and comments left out."""
    lines = [line for line in dockerfile.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield word.upper(), rest.strip()


def flags_and_words(rest: str) -> tuple[dict[str, str], list[str]]:
    """Split `--name=value` flags from the words that follow them."""
    words = shlex.split(rest)
    flags = [word for word in words if word.startswith("--")]
    pairs = (flag[2:].partition("=") for flag in flags)
    return {name: value for name, _, value in pairs}, words[len(flags) :]


class Builder:
    """Runs a Dockerfile's instructions one after the other."""

    def __init__(self, scratch: Path, *, ignored: list[str]) -> None:
        self.scratch = scratch
        self.ignored = ignored
        self.kept: dict[str, Path] = {}
        self.name = ""
        self.stage = Stage(root=scratch / "root")

    def run(self, dockerfile: str) -> Stage:
        """Execute every step and return the last stage, whose root is left in place."""
        for word, rest in instructions(dockerfile):
            print(f"{word} {rest}", flush=True)
            step = getattr(self, f"do_{word.lower()}", None)
            if step is None:
                raise DockerfileError(f"no way to execute {word}: {rest}")
            step(rest)
        return self.stage

    def do_from(self, rest: str) -> None:
        """Keep the finished stage's root under its name and begin an empty one."""
        if self.stage.root.exists():
            self.kept[self.name] = self.stage.root.rename(self.scratch / f"stage-{self.name}")
        self.name = rest.rsplit(maxsplit=1)[-1]
        self.stage = Stage(root=self.scratch / "root")
        self.stage.root.mkdir()
        tools = self.stage.root / "base"
        tools.mkdir()
        (tools / "python").symlink_to(base_python())
        self.stage.env["PATH"] = f"{tools}:/usr/local/bin:/usr/bin:/bin"

    def do_workdir(self, rest: str) -> None:
        """Make the folder and work there from now on."""
        self.stage.workdir = os.path.join(self.stage.workdir, rest)
        self.stage.path(".").mkdir(parents=True, exist_ok=True)

    def do_env(self, rest: str) -> None:
        """Set NAME=VALUE words; $PATH means the value so far."""
        for word in shlex.split(rest):
            name, _, value = word.partition("=")
            value = self.stage.rewrite(value).replace("$PATH", self.stage.env["PATH"])
            self.stage.env[name] = value

    def do_copy(self, rest: str) -> None:
        """Copy files or a folder's content, as COPY does, and give them to --chown."""
        flags, words = flags_and_words(rest)
        *sources, target = words
        into = self.stage.path(target)
        for source in sources:
            if "from" in flags:
                copied = copy(self.kept[flags["from"]] / source.lstrip("/"), into)
            else:
                place = into / Path(source).name if target.endswith("/") else into
                copied = copy_context(source, place, ignored=self.ignored)
            if not copied:
                raise DockerfileError(f"COPY {source}: nothing there after .dockerignore")
        if "chown" in flags and os.geteuid() == 0:
            give(into, owner=ids(flags["chown"]))

    def do_run(self, rest: str) -> None:
        """Run a shell line of the image in WORKDIR."""
        line = self.stage.rewrite(rest)
        subprocess.run(
            ["sh", "-ec", line],
            cwd=self.stage.path("."),
            env=self.stage.environment(),
            stdin=subprocess.DEVNULL,
            check=True,
        )

    def do_user(self, rest: str) -> None:
        """Remember the user; root would defeat the purpose."""
        self.stage.user = ids(rest)
        if 0 in self.stage.user:
            raise DockerfileError("the image must not run as root")

    def do_healthcheck(self, rest: str) -> None:
        """Remember the command after CMD."""
        self.stage.health = json.loads(rest.partition("CMD ")[2])

    def do_entrypoint(self, rest: str) -> None:
        """Remember the exec form."""
        self.stage.entrypoint = json.loads(rest)

    def do_cmd(self, rest: str) -> None:
        """Remember the exec form."""
        self.stage.command = json.loads(rest)

    def do_volume(self, rest: str) -> None:
        """Check that what is declared a volume exists, or its owner would be root."""
        if not self.stage.path(rest).is_dir():
            raise DockerfileError(f"VOLUME {rest} was never made")

    def do_expose(self, rest: str) -> None:
        """Nothing to do: a port is declared for readers."""


def base_python() -> Path:
    """Return an interpreter to stand for the base image's, outside any virtual environment.

    Debian's own comes first where it is new enough: another user can reach it.
    """
    system = Path("/usr/bin/python3")
    new_enough = "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))"
    if system.exists() and subprocess.run([system, "-c", new_enough], check=False).returncode == 0:
        return system
    return Path(sys.base_prefix) / "bin" / "python3"


def ids(text: str) -> tuple[int, int]:
    """Read `UID:GID`; names would need the image's /etc/passwd."""
    user, _, group = text.partition(":")
    return int(user), int(group)


def give(path: Path, *, owner: tuple[int, int]) -> None:
    """Change the owner of a file, or of a folder and all in it."""
    for entry in [path, *path.rglob("*")]:
        os.chown(entry, *owner, follow_symlinks=False)


def copy(source: Path, target: Path) -> bool:
    """Copy a file, or the content of a folder, and say whether it was there."""
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
        return True
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
    return source.is_file()


def copy_context(source: str, target: Path, *, ignored: list[str]) -> bool:
    """Copy from the repository what .dockerignore lets through, and say whether anything was."""
    top = REPOSITORY / source
    files = [top] if top.is_file() else [file for file in top.rglob("*") if file.is_file()]
    sent = [file for file in files if not is_ignored(file, patterns=ignored)]
    for file in sent:
        copy(file, target if file == top else target / file.relative_to(top))
    return bool(sent)


def is_ignored(file: Path, *, patterns: list[str]) -> bool:
    """Apply .dockerignore: the last pattern that matches the file or a folder above it decides."""
    relative = file.relative_to(REPOSITORY)
    names = [relative.as_posix(), *(parent.as_posix() for parent in relative.parents)]
    verdict = False
    for pattern in patterns:
        matcher = pattern_regex(pattern.removeprefix("!"))
        if any(matcher.fullmatch(name) for name in names if name != "."):
            verdict = not pattern.startswith("!")
    return verdict


def pattern_regex(pattern: str) -> re.Pattern[str]:
    """Translate `*` (within a name) and `**/` (any folders) of a .dockerignore pattern."""
    text = re.escape(pattern.strip("/"))
    return re.compile(text.replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*"))


def ignore_patterns() -> list[str]:
    """Return the lines of .dockerignore that are patterns."""
    lines = (REPOSITORY / ".dockerignore").read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def start(stage: Stage, command: list[str]) -> "subprocess.Popen[bytes]":
    """Start a command of the finished image with its environment, folder and user."""
    path = stage.env["PATH"]
    program = shutil.which(stage.rewrite(command[0]), path=path)
    if program is None:
        raise DockerfileError(f"{command[0]} is on no folder of {path}")
    user, group = image_user(stage)
    return subprocess.Popen(
        [program, *map(stage.rewrite, command[1:])],
        cwd=stage.path("."),
        env={"PATH": path, **stage.env},
        stdin=subprocess.DEVNULL,
        user=user,
        group=group,
    )


def image_user(stage: Stage) -> tuple[int | None, int | None]:
    """Return the image's user where we may become it, else (None, None), and say so."""
    if stage.user is None:
        raise DockerfileError("the last stage names no USER, so the image would run as root")
    if os.geteuid() != 0:
        print("(not root: runs as the user who started this)", flush=True)
        return None, None
    hidden = [folder for folder in base_python().resolve().parents if not open_to_all(folder)]
    if hidden:
        print(f"(runs as root: {hidden[0]} is closed to the image's user)", flush=True)
        return None, None
    return stage.user


def open_to_all(folder: Path) -> bool:
    """True when any user may pass through the folder."""
    return bool(folder.stat().st_mode & stat.S_IXOTH)


def wait_until_healthy(stage: Stage) -> None:
    """Start the image's command, repeat its HEALTHCHECK until it holds, and stop it."""
    server = start(stage, stage.entrypoint + stage.command)
    try:
        for _ in range(HEALTH_ATTEMPTS):
            if start(stage, stage.health).wait() == 0:
                print("healthy", flush=True)
                return
            if has_ended(server):
                raise DockerfileError(f"the server ended with {server.returncode}")
        raise DockerfileError(f"not healthy after {HEALTH_ATTEMPTS} checks")
    finally:
        server.terminate()
        server.wait()


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Wait one interval for the process; True when it ended meanwhile."""
    try:
        process.wait(timeout=HEALTH_INTERVAL_S)
    except subprocess.TimeoutExpired:
        return False
    return True


def main(arguments: list[str]) -> int:
    """Build in a scratch folder, run, and return the exit code of what ran."""
    with tempfile.TemporaryDirectory(prefix="docker-steps-") as scratch:
        Path(scratch).chmod(0o755)
        builder = Builder(Path(scratch), ignored=ignore_patterns())
        stage = builder.run((REPOSITORY / "Dockerfile").read_text())
        if arguments:
            return start(stage, stage.entrypoint + arguments).wait()
        wait_until_healthy(stage)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
