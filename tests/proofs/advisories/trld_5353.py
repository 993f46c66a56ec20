"""The logged reward is the plain sum where the run has reward_weights."""

import dataclasses

from small import grpo, logged, of_trl, verdict


def ones(completions, **_):
    return [1.0] * len(completions)


if "reward_weights" in {field.name for field in dataclasses.fields(of_trl("GRPOConfig"))}:
    trained = grpo([ones, ones], reward_weights=[0.25, 0.5])
    trained.train()
    reward = float(logged(trained, "reward"))
    verdict(abs(reward - 0.75) > 0.01, f"weights of 0.25 and 0.5 on rewards of 1: {reward}")
else:
    verdict(False, "this release has no reward_weights")
