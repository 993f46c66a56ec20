"""Rollouts follow the model's generation_config.json where the run keeps the defaults."""

from small import grpo, lengths, verdict

seen = []


def reward(completions, **_):
    """Keep what was generated."""
    seen.append(len(set(map(str, completions))))
    return lengths(completions)


trained = grpo(reward, 8, {"temperature": 1e-4, "do_sample": True}, temperature=1.0,
               num_generations=8, per_device_train_batch_size=8)  # fmt: skip
trained.train()
verdict(
    seen[0] == 1,
    f"{seen[0]} different completions of a batch where the model's file says temperature 0.0001",
)
