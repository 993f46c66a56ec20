"""Rollouts follow the model's generation_config.json where the run keeps the defaults."""

from small import generated, grpo, lengths, verdict

trained = grpo(lengths, 8, {"temperature": 1e-4, "do_sample": True}, temperature=1.0,
               num_generations=8, per_device_train_batch_size=8)  # fmt: skip
ids = generated(trained)["completion_ids"].tolist()
kinds = len(set(map(tuple, ids)))
verdict(
    kinds == 1, f"{kinds} different completions of 8 where the model's file says temperature 0.0001"
)
