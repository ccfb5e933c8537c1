"""A wrong command line, said as every other mistake: one line with what, where and the cure."""

import difflib
from collections.abc import Iterable
from typing import Any

import click


def usage_line(error: click.UsageError) -> str:
    """Return the text after `error: `."""
    match error:
        case click.NoSuchOption():
            return f"no such option {error.option_name}{_nearest_option(error)}"
        case click.MissingParameter():
            return f"{_plain(error)}; {_see_help(error)}"
        case click.BadParameter():
            return _bad_value(error)
        case _:
            return _plain(error)


def _plain(error: click.UsageError) -> str:
    """Return click's sentences as one, in the form of ours."""
    text = " ".join(error.format_message().split()).removesuffix(".")
    text = text.replace(". Did you mean", "; did you mean")
    return text[:1].lower() + text[1:]


def _nearest_option(error: click.NoSuchOption) -> str:
    name = error.option_name
    near = difflib.get_close_matches(name, _options(error.ctx), n=1)
    return f"; did you mean {near[0]}?" if near else f"; {_see_help(error)}"


def _options(context: click.Context | None) -> Iterable[str]:
    parameters = context.command.params if context is not None else []
    return [name for parameter in parameters for name in parameter.opts]


def _see_help(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx is not None else "referee"
    return f"{path} --help has the usage"


def _bad_value(error: click.BadParameter) -> str:
    parameter = error.param
    if parameter is None:
        return error.message
    option = isinstance(parameter, click.Option)
    named = parameter.opts[-1] if option else parameter.human_readable_name
    cure = _allowed(parameter.type)
    if cure is None:
        return f"{named}: {error.message.removesuffix('.')}"
    value = error.message.partition(" is not ")[0]
    return f"{named} {value}: write {cure}"


def _allowed(kind: "click.ParamType[Any]") -> str | None:
    """Return what a value of this type may be; None where click's own words say it."""
    match kind:
        case click.IntRange() | click.FloatRange():
            number = "a whole number" if isinstance(kind, click.IntRange) else "a number"
            return f"{number} from {kind.min}" + ("" if kind.max is None else f" to {kind.max}")
        case click.Choice():
            return " or ".join(map(str, kind.choices))
        case _ if kind.name == "integer":
            return "a whole number"
        case _ if kind.name == "float":
            return "a number"
        case _:
            return None
