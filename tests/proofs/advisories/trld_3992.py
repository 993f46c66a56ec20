"""Advantages are not scaled as scale_rewards says."""

from small import generated, grpo, verdict


def far(completions, **_):
    return [100.0 * number for number, _ in enumerate(completions)]


largest = generated(grpo(far))["advantages"].abs().max().item()
verdict(largest > 2, f"rewards of 0 and 100 in a group give an advantage of {largest:.2f}")
