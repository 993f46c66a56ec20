"""A reward function that returns one number rewards every completion with it."""

from small import grpo, logged, verdict


def one(completions, **_):
    return [1.0]


trained = grpo(one)
try:
    trained.train()
except ValueError as error:
    verdict(False, f"ValueError: {error}")
else:
    verdict(True, f"one reward for two completions is logged as {logged(trained, 'reward')}")
