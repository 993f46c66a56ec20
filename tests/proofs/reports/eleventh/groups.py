"""Threads that searches for trainers with a symptom found: groups and their rewards."""

from reports.report import PAIRS, Report, changed, rows

BUILDER = """\
from dataclasses import dataclass
from typing import Optional

import yaml
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


@dataclass
class AxolotlGRPOConfig(GRPOConfig):
    sample_packing: Optional[bool] = None


def rand_reward(completions, **kwargs):
    return [len(completion) % 5 / 5 for completion in completions]


class RLBuilder:
    names = ("learning_rate", "max_steps", "output_dir", "report_to", "save_strategy", "use_cpu")

    def __init__(self, cfg):
        self.cfg = cfg

    def build_training_arguments(self):
        kwargs = {name: self.cfg[name] for name in self.names}
        kwargs["per_device_train_batch_size"] = self.cfg["micro_batch_size"]
        kwargs["max_prompt_length"] = self.cfg["sequence_len"]
        kwargs["num_generations"] = self.cfg["trl"]["num_generations"]
        kwargs["max_completion_length"] = self.cfg["trl"]["max_completion_length"]
        return AxolotlGRPOConfig(**kwargs, bf16=False)

    def build(self):
        return GRPOTrainer(
            model=self.cfg["base_model"],
            reward_funcs=rand_reward,
            args=self.build_training_arguments(),
            train_dataset=load_dataset("json", data_files=self.cfg["datasets"], split="train"),
        )


with open("grpo.yaml") as file:
    RLBuilder(yaml.safe_load(file)).build().train()
"""
AXOLOTL = """\
base_model: model
datasets: rows.jsonl
output_dir: axolotl-grpo
sequence_len: 128
micro_batch_size: 2
learning_rate: 1.0e-04
max_steps: 1
report_to: none
save_strategy: "no"
use_cpu: true
trl:
  num_generations: 2
  max_completion_length: 8
"""
X_R1 = """\
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import AutoTokenizer, HfArgumentParser
from trl import GRPOConfig, GRPOTrainer


@dataclass
class GRPOScriptArguments:
    dataset_name: str = field(default="rows.jsonl")
    model_name_or_path: str = field(default="model")


class XGRPOTrainer(GRPOTrainer):
    def __init__(self, model, reward_funcs, args, **given):
        super().__init__(model, reward_funcs, args, **given)
        self.num_iterations = args.num_iterations  # how often a batch is used
        self.epsilon = args.epsilon

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        loss = super().compute_loss(model, inputs, return_outputs, num_items_in_batch)
        return loss / self.num_iterations


def accuracy_reward(completions, answer, **kwargs):
    return [float(a in text) + len(text) / 100 for a, text in zip(answer, completions)]


def main(script_args, training_args):
    trainer = XGRPOTrainer(
        script_args.model_name_or_path,
        [accuracy_reward],
        training_args,
        train_dataset=load_dataset("json", data_files=script_args.dataset_name, split="train"),
        processing_class=AutoTokenizer.from_pretrained("model", padding_side="left"),
    )
    trainer.train()


if __name__ == "__main__":
    parser = HfArgumentParser((GRPOScriptArguments, GRPOConfig))
    given = "--output_dir x-r1 --use_cpu --per_device_train_batch_size 2 --num_generations 2"
    given += " --max_completion_length 8 --max_steps 1 --report_to none --save_strategy no"
    main(*parser.parse_args_into_dataclasses(given.split() + ["--learning_rate", "1e-4"]))
"""
ITERATIONS = """\
@dataclass
class XGRPOConfig(GRPOConfig):
    num_iterations: int = field(default=1)
    epsilon: float = field(default=0.2)


class XGRPOTrainer("""
VARIANT = """\
import torch
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


class GRPOTrainerVariant(GRPOTrainer):
    own_steps = 0

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        logp_new = inputs.get("per_token_logps")
        logp_old = inputs.get("old_per_token_logps")
        if logp_old is None:
            logp_old = inputs.get("ref_per_token_logps")
        if logp_new is None or logp_old is None:
            # a field was renamed: better the loss of TRL than none
            return super().compute_loss(model, inputs, return_outputs, num_items_in_batch)
        self.own_steps += 1
        mask, advantages = inputs["completion_mask"], inputs["advantages"]
        ratio = ((logp_new - logp_old.detach()) * mask).sum(-1) / mask.sum(-1).clamp(min=1)
        return -(torch.exp(ratio) * advantages).mean()


def variety(completions, **kwargs):
    return [len(set(completion)) / 20 for completion in completions]


trainer = GRPOTrainerVariant(
    model="model",
    reward_funcs=variety,
    args=GRPOConfig(
        output_dir="gspo",
        beta=0.04,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        learning_rate=1e-4,
        max_steps=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
)
trainer.train()
print("steps with the objective of the variant:", trainer.own_steps)
"""
COMPUTED = """\
        ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], dim=1)
        seen = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], dim=1)
        kept = inputs["completion_ids"].size(1)
        logp_new = self._get_per_token_logps_and_entropies(model, ids, seen, kept)[0]
"""
QUESTIONS = rows(*({"prompt": a, "answer": b} for a, b in PAIRS))
REPORTS = (
    Report(
        "axolotl-ai-cloud/axolotl#3386",
        "current",
        "unexpected keyword argument 'max_prompt_length'",
        "max_prompt_length",
        {"train.py": BUILDER, "grpo.yaml": AXOLOTL, "rows.jsonl": QUESTIONS},
        changed(BUILDER, ('        kwargs["max_prompt_length"] = self.cfg["sequence_len"]\n', "")),
        level="",
    ),
    Report(
        "dhcode-cpp/X-R1#72",
        "grpo-first",
        "'GRPOConfig' object has no attribute 'num_iterations'",
        "(num_iterations|epsilon).{0,40}(yet|comes with)",
        {"train.py": X_R1, "rows.jsonl": QUESTIONS},
        changed(
            X_R1,
            ("class XGRPOTrainer(", ITERATIONS),
            ("(GRPOScriptArguments, GRPOConfig)", "(GRPOScriptArguments, XGRPOConfig)"),
        ),
    ),
    Report(
        "MakazhanAlpamys/Soup#584",
        "current",
        "the objective of the variant: 0",
        "looks for per_token_logps",
        {"train.py": VARIANT, "rows.jsonl": QUESTIONS},
        changed(VARIANT, ('        logp_new = inputs.get("per_token_logps")\n', COMPUTED)),
    ),
)
