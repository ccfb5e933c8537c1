"""What the pages say is so: tables equal the code, links lead somewhere, examples parse."""

import ast
import inspect
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FileDescriptor

import tichu_bot
import tichu_bot.cards
from referee._gen.tichu.referee.v1 import (
    card_pb2,
    ladder_pb2,
    match_pb2,
    matches_pb2,
    referee_pb2,
    registry_pb2,
)
from referee.app.limits import DEFAULT_LIMITS, Limits
from referee.cli.fault_limits import parse_faults
from referee.cli.main import main
from referee.cli.play import play
from referee.cli.serve import serve
from referee.cli.serve_setup import ServeArguments, plan_serve
from referee.config import FaultsSection, MatchSection, ServeConfig, load_config
from referee.formats.records import HeaderSettings, RecordHeader
from referee.match import facts, inputs
from referee.match.facts import Fact, decode_fact, encode_fact
from referee.match.faults import Limit
from referee.metrics.meter import PrometheusMeter
from referee.ports import MAX_FRAME_BYTES
from referee.rules.errors import ConfigError
from referee.rules.options import (
    OPTION_ROWS,
    OptionKind,
    OptionRow,
    parse_options,
)
from referee.rules.refusals import CLAUSE
from tests.repo.tree import ROOT, files

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
LINKED = sorted(file for file in files() if file.suffix == ".md")
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
PROTOS: tuple[FileDescriptor, ...] = tuple(
    module.DESCRIPTOR for module in (card_pb2, match_pb2, referee_pb2)
)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def section(name: str, heading: str) -> str:
    """The text below a heading, to the next heading of any level."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", page(name), re.M | re.S)
    assert found is not None, f"{name} has no heading {heading!r}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The rows of all tables in the text, cells stripped, heads left out."""
    lines = [line for line in prose(text).splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rules = {i for i, row in enumerate(cells) if set("".join(row)) <= {"-"}}
    return [row for i, row in enumerate(cells) if i not in rules and i + 1 not in rules]


def first_cells(text: str) -> list[str]:
    return [re.sub(r"[`*]", "", row[0]) for row in rows(text)]


def prose(text: str) -> str:
    return FENCE.sub("", text)


def ticked(text: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", prose(text))


# --- links


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as the usual renderers make them."""
    heads = re.findall(r"^#+ (.+)$", prose(text), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def dead_links(file: Path) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(file.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        to = (file.parent / path).resolve() if path else file
        if not to.exists() or (anchor and anchor not in anchors(to.read_text(encoding="utf-8"))):
            yield target


@pytest.mark.parametrize("file", LINKED, ids=lambda file: str(file.relative_to(ROOT)))
def test_relative_links_lead_somewhere(file: Path) -> None:
    assert list(dead_links(file)) == []


def test_the_index_names_every_page() -> None:
    text = page("README.md")
    assert [p.name for p in PAGES if p.name != "README.md" and f"]({p.name})" not in text] == []


def test_the_index_names_every_decision() -> None:
    names = [file.name for file in (DOCS / "decisions").glob("*.md")]
    assert [name for name in names if f"](decisions/{name})" not in page("README.md")] == []


# --- rules and options


def option_values(row: OptionRow) -> str:
    """The cell of an option's values: the default first."""
    if row.kind is OptionKind.CHOICE:
        return ", ".join(f"`{value}`" for value in row.allowed().split(", "))
    default = "none" if row.default is None else row.default
    return f"`{default}`, a whole number from 1 to {row.most}"


def test_the_options_table_equals_the_code() -> None:
    table = rows(section("RULES.md", "J. Options"))
    expected = [(f"`{n}`", option_values(row), row.clause) for n, row in OPTION_ROWS.items()]
    assert [tuple(row[:3]) for row in table] == expected


def test_every_clause_that_is_cited_has_its_row() -> None:
    clauses = set(re.findall(r"^\| \*\*([A-I]\d*)\*\* \|", page("RULES.md"), re.M))
    cited = {*CLAUSE.values()}
    cited |= {c for row in rows(section("RULES.md", "J. Options")) for c in row[2].split(", ")}
    assert cited <= clauses
    # A to F are played whole, so no number is left out
    for letter, last in zip("ABCDEF", (8, 8, 5, 6, 9, 4), strict=True):
        assert {f"{letter}{i}" for i in range(1, last + 1)} <= clauses


# --- protocol


def members(enum: EnumDescriptor) -> list[str]:
    """The values of an enum without their prefix and the unspecified one."""
    prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.name).upper() + "_"
    return [v.name.removeprefix(prefix) for v in enum.values if v.number]


def messages(file: FileDescriptor) -> Iterator[Descriptor]:
    yield from file.message_types_by_name.values()


NAMES = {name for file in PROTOS for name in file.message_types_by_name}
ENUMS = {name: enum for file in PROTOS for name, enum in file.enum_types_by_name.items()}
FIELDS = {field.name for file in PROTOS for m in messages(file) for field in m.fields}
VALUES = {member for enum in ENUMS.values() for member in members(enum)}


_OFFERED = [
    service
    for module in (ladder_pb2, matches_pb2, registry_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
]
SERVICES = {service.name for service in _OFFERED}
CALLS = {method.name for service in _OFFERED for method in service.methods}


def test_every_message_and_enum_that_is_named_exists() -> None:
    named = {word for word in ticked(page("PROTOCOL.md")) if re.fullmatch(r"([A-Z][a-z]+)+", word)}
    assert named - NAMES - {*ENUMS} - SERVICES - CALLS == set()


def test_every_service_and_call_is_named() -> None:
    table = first_cells(section("PROTOCOL.md", "Services"))
    assert table == sorted(SERVICES)
    named = set(ticked(section("PROTOCOL.md", "Services")))
    assert CALLS - named == set()


def test_every_message_of_the_protocol_is_named() -> None:
    text = page("PROTOCOL.md")
    assert [name for name in sorted(NAMES) if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize(
    ("heading", "enum"),
    [
        ("Refusal codes", "RefusalCode"),
        ("Endings", "Ending"),
    ],
)
def test_a_table_has_every_value_of_its_enum_in_order(heading: str, enum: str) -> None:
    assert first_cells(section("PROTOCOL.md", heading)) == members(ENUMS[enum])


@pytest.mark.parametrize(
    ("heading", "enum"),
    [
        ("Acknowledgements", "AckStatus"),
        ("Asks and answers", "CancelReason"),
        ("How a stream ends", "ClosingCode"),
    ],
)
def test_a_section_has_every_value_of_its_enum(heading: str, enum: str) -> None:
    cells = first_cells(section("PROTOCOL.md", heading))
    assert [value for value in members(ENUMS[enum]) if value not in cells] == []


def test_the_refusal_table_names_the_clauses_of_the_code() -> None:
    told = {row[0].strip("`"): row[1] for row in rows(section("PROTOCOL.md", "Refusal codes"))}
    assert {code: told[code] for code in CLAUSE} == {**CLAUSE}
    assert {clause for code, clause in told.items() if code not in CLAUSE} == {"none"}


def test_the_events_table_names_every_event() -> None:
    kinds = match_pb2.DESCRIPTOR.message_types_by_name["Event"].oneofs_by_name["event"].fields
    table = first_cells(section("PROTOCOL.md", "Updates, events, snapshots"))
    assert table == [field.message_type.name for field in kinds if field.message_type]


def test_the_limits_are_those_of_the_code() -> None:
    text = " ".join(section("PROTOCOL.md", "The stream").split())
    limits = DEFAULT_LIMITS
    for said in (
        f"at most {MAX_FRAME_BYTES // 1024} KiB",
        f"{limits.items_per_frame:,} answers",
        f"{limits.frames_per_s} frames a",
        f"{limits.frames_burst:,} at once",
        f"{limits.frames_per_ask} more for each ask",
        f"More than {limits.unsent_bytes >> 20} MiB",
        f"up to {limits.frame_bytes // 1024} KiB",
        f"{limits.hold_ns // 1_000_000} ms, as long as",
    ):
        assert said in text


# --- words


def test_the_nouns_of_the_glossary_are_used() -> None:
    used = "\n".join(
        file.read_text(encoding="utf-8").lower()
        for file in files()
        if file.suffix in {".py", ".proto"}
        and file.relative_to(ROOT).parts[0] in {"referee", "proto"}
    )
    glossary = page("GLOSSARY.md").split("## Competitions")[0]
    nouns = [noun for row in rows(glossary) for noun in re.findall(r"\*\*(.+?)\*\*", row[0])]
    assert len(nouns) > 40
    assert [noun for noun in nouns if not re.search(rf"\b{noun.lower()}", used)] == []


# --- records


def fact_types() -> dict[str, type]:
    kinds = vars(facts).values()
    tagged = [k for k in kinds if isinstance(k, type) and hasattr(k, "__struct_config__")]
    return {str(k.__struct_config__.tag): k for k in tagged if k.__module__ == facts.__name__}


def field_names(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def test_the_facts_tables_name_every_fact_and_field() -> None:
    table = {row[0].strip("`"): field_names(row[1]) for row in rows(section("records.md", "Facts"))}
    types = fact_types()
    assert {name: table.get(name) for name in types} == {
        name: [f for f in kind.__struct_fields__ if f != "at"]  # type: ignore[attr-defined]
        for name, kind in types.items()
    }


def test_the_decisions_table_names_every_decision() -> None:
    told = {
        name: field_names(row[1])
        for row in rows(section("records.md", "Decisions"))
        for name in field_names(row[0])
    }
    kinds = [k for k in vars(inputs).values() if str(getattr(k, "__name__", "")).endswith("sion")]
    assert len(kinds) > 8
    assert told == {kind.__struct_config__.tag: [*kind.__struct_fields__] for kind in kinds}


def test_the_header_table_names_every_field() -> None:
    told = set(ticked(section("records.md", "Header")))
    assert {*RecordHeader.__struct_fields__, *HeaderSettings.__struct_fields__} <= told


def test_the_facts_shown_are_facts() -> None:
    shown: list[Fact] = []
    for language, block in FENCE.findall(page("records.md")):
        if language == "json":
            for line in block.splitlines():
                shown.append(decode_fact(line.encode()))
                assert encode_fact(shown[-1]).decode() == line
    assert shown


# --- configuration


def keys(heading: str, column: int = 0) -> list[str]:
    """What the table below a heading names between ticks in one of its columns."""
    cells = [row[column] for row in rows(section("CONFIG.md", heading))]
    return [name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)]


def flags(command: click.Command) -> set[str]:
    return {opt for param in command.params for opt in param.opts if opt.startswith("--")}


def test_every_key_of_the_configuration_has_its_row() -> None:
    tables = {"match": MatchSection, "limits": Limits}
    sections = {*tables, "options", "faults"}
    expected = {key for key in ServeConfig.__struct_fields__ if key not in sections}
    expected |= {key for table in tables.values() for key in table.__struct_fields__}
    assert {*keys("A server")} == expected
    assert keys("Limits of faults") == [*FaultsSection.__struct_fields__]


def test_every_flag_has_its_row() -> None:
    # in the text, they are no keys
    own = {"--config", "--variant", "--rounds", "--target", "--option", "--fault"}
    told = {name for name in keys("A server", 1) if name.startswith("--")}
    assert told == flags(serve) - own
    assert {*keys("A match on this machine")} == flags(play)


def test_the_limits_in_the_table_are_those_of_the_code() -> None:
    table = {row[0]: row[-1] for row in rows(section("CONFIG.md", "A server"))}
    for name, value in msgspec.structs.asdict(DEFAULT_LIMITS).items():
        (told,) = [text for keys, text in table.items() if f"`{name}`" in keys]
        assert name == "grace_ns" or str(value) in told.split(", ")


def test_the_limits_of_faults_in_the_table_are_those_of_the_code() -> None:
    in_force = plan_serve(ServeArguments()).in_force
    for row in rows(section("CONFIG.md", "Limits of faults")):
        name = row[0].strip("`")
        assert row[-1] == str(in_force.value(Limit(name)))
        with pytest.raises(ConfigError, match=f"a whole number from {row[2]}"):
            parse_faults([f"{name}=99999999999"])


def test_the_metrics_table_equals_the_registry() -> None:
    told = {row[0].strip("`"): (row[1], field_names(row[2])) for row in rows(metrics_section())}
    assert told == {
        family.name: (
            family.type,
            sorted({label for sample in family.samples for label in sample.labels} - {"le"}),
        )
        for family in PrometheusMeter().collect()
    }


def metrics_section() -> str:
    return section("CONFIG.md", "Metrics")


def test_the_configuration_shown_can_be_loaded(tmp_path: Path) -> None:
    (text,) = [block for language, block in FENCE.findall(page("CONFIG.md")) if language == "toml"]
    file = tmp_path / "referee.toml"
    file.write_text(text)
    config = load_config(file)
    assert parse_options(config.options).target == 500


# --- vectors and bots


def test_the_vector_shown_passes(tmp_path: Path) -> None:
    (shown,) = [block for tag, block in FENCE.findall(page("VECTORS.md")) if tag == "json"]
    file = tmp_path / "shown.jsonl"
    file.write_text(shown)
    assert CliRunner().invoke(main, ["rules", "check", str(file)]).output == "1 passed, 0 failed\n"


def test_the_page_of_vectors_names_every_code_that_has_a_clause() -> None:
    assert [code for code in CLAUSE if f"`{code}`" not in page("VECTORS.md")] == []


def test_the_page_for_bots_names_every_argument_of_run_and_field_of_a_play() -> None:
    told = set(ticked(section("WRITE_A_BOT.md", "Plays, cards, and how it is run")))
    arguments = {*inspect.signature(tichu_bot.run).parameters} - {"make_bot"}
    named = {word.partition("=")[0].partition("(")[0] for word in told}
    assert arguments | {*tichu_bot.Play._fields} <= named


def test_the_names_shown_of_cards_exist() -> None:
    table = rows(section("WRITE_A_BOT.md", "Plays, cards, and how it is run"))
    names = [n for row in table for n in re.findall(r"`(\w+)(?:\([^`]*\))?`", row[0])]
    known = {*vars(tichu_bot.cards), *tichu_bot.Play._fields}
    known |= {*inspect.signature(tichu_bot.run).parameters}
    assert len(names) > 20
    assert [name for name in names if name not in known] == []


# --- examples


def commands() -> list[str]:
    """Every line of a shell example that calls the referee, in these pages and the READMEs."""
    return [
        line.strip().removeprefix("$ ")
        for file in LINKED
        for language, block in FENCE.findall(file.read_text(encoding="utf-8"))
        if language in {"sh", "console"}
        for line in block.replace("\\\n", " ").splitlines()
        if re.match(r" *(\$ )?referee ", line)
    ]


@pytest.mark.parametrize("line", commands())
def test_a_command_shown_is_one_that_exists(line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    command: click.Command = main
    context = click.Context(main, info_name="referee")
    while isinstance(command, click.Group):
        name, found, words = command.resolve_command(context, words)
        assert found is not None, line
        command = found
        context = click.Context(command, parent=context, info_name=name)
    known = {opt for param in command.params for opt in (*param.opts, *param.secondary_opts)}
    own = words[: words.index("--")] if "--" in words else words  # behind it: a bot's command
    flags = {word.partition("=")[0] for word in own if word.startswith("--")}
    assert flags <= known | {"--help"}, line


def sessions() -> list[tuple[str, str]]:
    """The commands of `console` examples in these pages, each with the output shown below it."""
    blocks = [
        block
        for p in PAGES
        for language, block in FENCE.findall(p.read_text(encoding="utf-8"))
        if language == "console"
    ]
    return [
        (command, shown)
        for block in blocks
        for command, shown in re.findall(r"^\$ referee (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
    ]


@pytest.mark.parametrize(("command", "shown"), sessions())
def test_a_command_prints_what_the_page_shows(command: str, shown: str) -> None:
    result = CliRunner().invoke(main, shlex.split(command))
    assert result.output == shown


def test_there_are_commands_with_their_output() -> None:
    assert sessions()


@pytest.mark.parametrize("file", LINKED, ids=lambda file: str(file.relative_to(ROOT)))
def test_python_shown_is_python(file: Path) -> None:
    for language, block in FENCE.findall(file.read_text(encoding="utf-8")):
        if language == "python":
            ast.parse(block)
