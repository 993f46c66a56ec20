"""A completion that no reward function scores counts as one with the reward 0."""

from small import generated, grpo, of_trl, trainer, verdict


def some(completions, **_):
    return [None, 10.0, 10.0, 10.0][: len(completions)]


sizes = {"num_generations": 4, "per_device_train_batch_size": 4, "max_completion_length": 4}
try:
    trainers = {"GRPO": grpo(some, scale_rewards=False, **sizes)}
    if "reward_funcs" in of_trl("RLOOTrainer").__init__.__annotations__:
        rows = [{"prompt": "w1 w2"}] * 4
        trainers["RLOO"] = trainer("RLOO", rows, {"beta": 0.0, **sizes}, reward_funcs=some)
    advantages = {name: generated(each)["advantages"].tolist() for name, each in trainers.items()}
except TypeError as error:
    if "NoneType" not in str(error):
        raise
    verdict(False, "this release refuses None as a reward")
else:
    shown = any(abs(value) > 0.01 for each in advantages.values() for value in each)
    verdict(shown, f"rewards of None, 10, 10 and 10 give the advantages {advantages}")
