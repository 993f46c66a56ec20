"""max_prompt_length is an argument of GRPO or RLOO, and prompts of any length pass."""

import dataclasses

from small import generated, grpo, lengths, of_trl, trainer, verdict

ROWS = [{"prompt": "w1 w2 w3 w4 w5 w6"}] * 4


def longest(name):
    """The length of the prompts where three tokens are allowed; 0 without the argument."""
    if "max_prompt_length" not in {field.name for field in dataclasses.fields(of_trl(name))}:
        return 0
    if name == "GRPOConfig":
        trained = grpo(lengths, ROWS, max_prompt_length=3)
    else:
        sizes = {
            "num_generations": 2,
            "max_completion_length": 4,
            "max_prompt_length": 3,
            "beta": 0.0,
        }
        trained = trainer("RLOO", ROWS, sizes, reward_funcs=lengths)
    return generated(trained)["prompt_ids"].shape[1]


longest_prompts = {"GRPO": longest("GRPOConfig")}
if "reward_funcs" in of_trl("RLOOTrainer").__init__.__annotations__:
    longest_prompts["RLOO"] = longest("RLOOConfig")
verdict(
    max(longest_prompts.values()) > 3,
    f"tokens of the prompts where 3 are allowed: {longest_prompts}",
)
