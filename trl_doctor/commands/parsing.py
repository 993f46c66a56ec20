"""How the arguments of `trl-doctor check` are parsed."""

from __future__ import annotations

from itertools import pairwise

import click

SCRIPT_LINE = "trl_doctor.script_line"
"""Where the context keeps what follows `--`."""


class CheckCommand(click.Command):
    """Reports wrong usage to programs, too; what follows `--` is the script's command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            args, ctx.meta[SCRIPT_LINE] = args[:at], tuple(args[at + 1 :])
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if any("json" in word for word in words):
                from trl_doctor.commands.check import refused

                refused(_formats(words), error.format_message())
            if isinstance(error, click.NoSuchOption) and not _alike(error):
                instead = f"trl-doctor check TARGET -- {error.option_name} …"
                why = f"No such option '{error.option_name}'. Options of the training follow --: "
                raise click.UsageError(why + instead, ctx) from None
            raise


def _alike(error: click.NoSuchOption) -> bool:
    """Whether one of the doctor's own options was probably meant."""
    from trl_doctor.core.similar import similar

    return bool(similar(error.option_name, error.possibilities or (), 1, 0.75))


def _formats(args: list[str]) -> list[str]:
    """The values of --output and --format in arguments that could not be parsed."""
    names = ("--output", "--format", "-o")
    joined = (word.split("=", 1)[1] for word in args if word.startswith(("--output=", "--format=")))
    return [value for name, value in pairwise(args) if name in names] + list(joined)
