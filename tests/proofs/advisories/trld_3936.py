"""A completion that no reward function scores ends the run with another message."""

from small import generated, grpo, raises


def some(completions, **_):
    return [None, *[1.0] * (len(completions) - 1)]


def scores():
    generated(grpo(some))


raises("'TrainerState' object is not subscriptable", scores)
