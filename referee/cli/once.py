"""A click command that refuses an option given twice, where click would take the last."""

from collections import Counter

import click


class OnceCommand(click.Command):
    """As a command of click; options that may be repeated say so with `multiple`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does. Raises `UsageError` for a value that another one would hide."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(filter(_holds_one_value, given)).items():
            if times > 1:
                raise click.UsageError(f"{option.opts[-1]} is given twice; leave one out", ctx)
        return super().parse_args(ctx, args)


def _holds_one_value(parameter: click.Parameter) -> bool:
    if not isinstance(parameter, click.Option):
        return False
    return not (parameter.multiple or parameter.is_flag)
