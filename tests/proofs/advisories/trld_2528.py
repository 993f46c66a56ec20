"""No argument brings the end-of-sequence token back into PPO's generation."""

import inspect

import datasets
from small import model, of_trl, tokenizer, verdict
from transformers import LlamaForSequenceClassification

config = model().config
config.num_labels = 1
reward, value = (LlamaForSequenceClassification(config) for _ in range(2))
taken = inspect.signature(of_trl("PPOTrainer").__init__).parameters
reference = {"ref_model" if "ref_model" in taken else "ref_policy": model()}
rows = [{"input_ids": [7, 8]}] * 4
tokens = tokenizer()
kind, settings = of_trl("PPOTrainer"), of_trl("PPOConfig")
arguments = settings(
    output_dir=".", stop_token="eos", report_to=[], bf16=False, total_episodes=4,
    per_device_train_batch_size=2, response_length=4,
)  # fmt: skip
first = {"args" if "args" in taken else "config": arguments}
given = {"model" if "model" in taken else "policy": model(), **first, **reference}
data = datasets.Dataset.from_list(rows)
trained = kind(
    processing_class=tokens, reward_model=reward, value_model=value, train_dataset=data,
    eval_dataset=data, **given,
)  # fmt: skip
policy = getattr(trained, "policy_model", None) or trained.policy
ends = policy.generation_config.eos_token_id
verdict(ends is None, f"with stop_token: eos, generation stops at {ends}")
