"""Threads that searches for symptoms found, landed before the doctor was asked: GRPO."""

from reports.report import COMPLETIONS, PROMPTS, Report, changed

SPECIAL = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.add_special_tokens({"additional_special_tokens": ["<step>", "<answer>"]})
model = AutoModelForCausalLM.from_pretrained("model")
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
seen = []


def steps_reward(completions, **kwargs):
    # one point for each step or answer that the model marks
    rewards = [float(text.count("<step>") + text.count("<answer>")) for text in completions]
    seen.extend(rewards)
    return rewards


training_args = GRPOConfig(
    output_dir="grpo-steps",
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=128,
    max_steps=2,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    bf16=False,
    use_cpu=True,
)
trainer = GRPOTrainer(
    model=model,
    processing_class=tokenizer,
    reward_funcs=steps_reward,
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
print("marks seen by the reward:", int(sum(seen)))
"""
OWN_LOSS = """\
import torch
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer
from trl.trainer.utils import selective_log_softmax


class ShortTrainer(GRPOTrainer):
    def _get_per_token_logps(self, model, input_ids, attention_mask, num_logits_to_keep):
        logits = model(
            input_ids=input_ids,
            attention_mask=attention_mask,
            num_logits_to_keep=num_logits_to_keep + 1,
        ).logits[:, :-1]
        return selective_log_softmax(logits, input_ids[:, -num_logits_to_keep:])


def accuracy_reward(completions, solution, **kwargs):
    return [float(answer.strip() in text) for text, answer in zip(completions, solution)]


dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.rename_column("completion", "solution")
training_args = GRPOConfig(
    output_dir="output/X-R1-0.5B",
    per_device_train_batch_size=2,
    num_generations=2,
    max_completion_length=8,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = ShortTrainer(
    model="model",
    reward_funcs=[accuracy_reward],
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
"""
HAND_MADE = """\


def selective_log_softmax(logits, index):
    logps = logits.log_softmax(-1)
    return torch.gather(logps, -1, index.unsqueeze(-1)).squeeze(-1)
"""
LENGTHS = """\
from dataclasses import dataclass, field

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments


@dataclass
class GRPOScriptArguments(ScriptArguments):
    reward_funcs: list[str] = field(default_factory=lambda: ["accuracy", "length"])


def accuracy_reward(completions, solution, **kwargs):
    return [float(gold.strip() in text) for text, gold in zip(completions, solution)]


def len_reward(completions, solutions, **kwargs):
    # shorter is better among the correct ones
    correct = [gold.strip() in text for text, gold in zip(completions, solutions)]
    longest = max(len(text) for text in completions) or 1
    return [0.5 - len(text) / longest if good else 0.0 for text, good in zip(completions, correct)]


REWARDS = {"accuracy": accuracy_reward, "length": len_reward}


def main(script_args, training_args, model_args):
    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")
    dataset = dataset.rename_column("completion", "solution")
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=[REWARDS[name] for name in script_args.reward_funcs],
        args=training_args,
        train_dataset=dataset,
    )
    trainer.train()


if __name__ == "__main__":
    main(
        GRPOScriptArguments(dataset_name="rows.jsonl"),
        GRPOConfig(
            output_dir="data/small-doge-grpo",
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=8,
            max_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
        ),
        ModelConfig(model_name_or_path="model"),
    )
"""
REPORTS = (
    Report(
        "huggingface/trl#2897",
        "current",
        "marks seen by the reward: 0",
        "special token",
        {"train.py": SPECIAL, "rows.jsonl": PROMPTS},
        changed(
            SPECIAL,
            (
                'add_special_tokens({"additional_special_tokens": ["<step>", "<answer>"]})',
                'add_tokens(["<step>", "<answer>"])',
            ),
        ),
    ),
    Report(
        "dhcode-cpp/X-R1#22",
        "grpo-silent",
        "cannot import name 'selective_log_softmax'",
        "selective_log_softmax",
        {"train.py": OWN_LOSS, "rows.jsonl": COMPLETIONS},
        changed(OWN_LOSS, ("from trl.trainer.utils import selective_log_softmax\n", HAND_MADE)),
    ),
    Report(
        "huggingface/open-r1#384",
        "grpo-first",
        "missing 1 required positional argument: 'solutions'",
        "solutions",
        {"train.py": LENGTHS, "rows.jsonl": COMPLETIONS},
        changed(
            LENGTHS,
            ("len_reward(completions, solutions,", "len_reward(completions, solution,"),
            ("zip(completions, solutions)", "zip(completions, solution)"),
        ),
        level="",
    ),
)
