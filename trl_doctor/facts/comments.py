"""The comments in the run file that are instructions to trl-doctor."""

from __future__ import annotations

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.run import OWN_KEYS
from trl_doctor.files.comments import Comment, comments

STATED = frozenset({*OWN_KEYS, "num_processes"})
"""Keys that a comment can set."""


def own_comments(facts: Facts) -> tuple[Comment, ...]:
    """The comments; raises `NotConcerned` if the target has none."""
    file = facts.run.file
    if isinstance(file, Unavailable):
        raise file
    if file is None or (file.format != "yaml" and file.path.suffix != ".py"):
        raise NotConcerned("only YAML and scripts have comments")
    return tuple(comments(file.data.decode()))
