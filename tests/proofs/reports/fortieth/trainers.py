"""Threads of a fortieth list: what a trainer is given, and what is made of its class."""

from reports.report import PREFERENCES, PROMPTS, Report, changed

ARGUMENTS = '''\
"""DPO with the arguments of every other training."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
from trl import DPOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
training_args = TrainingArguments(
    output_dir="dpo",
    per_device_train_batch_size=4,
    learning_rate=5e-6,
    max_steps=1,
    remove_unused_columns=False,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model=model,
    ref_model=None,
    args=training_args,
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
'''
XGRPO = '''\
"""GRPO with a trainer of one's own, which was written for an earlier release."""

from collections import defaultdict

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, Trainer
from trl import GRPOConfig, GRPOTrainer


class XGRPOTrainer(GRPOTrainer):
    """Has its own beginning, and what the loss needs."""

    def __init__(self, model, reward_funcs, args, train_dataset, processing_class):
        self.reward_funcs = reward_funcs
        self.reward_weights = torch.ones(len(reward_funcs))
        self.reward_processing_classes = [None] * len(reward_funcs)
        self.max_prompt_length = args.max_prompt_length
        self.max_completion_length = args.max_completion_length
        self.num_generations = args.num_generations
        self.use_vllm = args.use_vllm
        self.beta = args.beta
        self._metrics = defaultdict(list)
        self.log_completions = args.log_completions
        self.ref_model = AutoModelForCausalLM.from_pretrained("model")
        self.generation_config = GenerationConfig(
            max_new_tokens=self.max_completion_length,
            do_sample=True,
            temperature=args.temperature,
            pad_token_id=processing_class.pad_token_id,
        )
        Trainer.__init__(
            self,
            model=model,
            args=args,
            data_collator=lambda features: features,
            train_dataset=train_dataset,
            processing_class=processing_class,
        )
        self.model_accepts_loss_kwargs = False


def reward_len(completions, **kwargs):
    return [-abs(20 - len(text)) / 20 for text in completions]


trainer = XGRPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    reward_funcs=[reward_len],
    args=GRPOConfig(
        output_dir="output/xr1",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=8,
        remove_unused_columns=False,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
'''
BEGINNING = XGRPO[XGRPO.index("        self.reward_funcs = ") : XGRPO.index("\n\ndef reward_len")]
REPORTS = (
    Report(
        "blog.gitcode.com/d8ce558cffa923bbcc39cb54224fcab5",
        "grpo-first",
        "'TrainingArguments' object has no attribute 'model_init_kwargs'",
        r"DPOConfig|TrainingArguments",
        {"train.py": ARGUMENTS, "pairs.jsonl": PREFERENCES},
        changed(
            ARGUMENTS,
            (", TrainingArguments\n", "\n"),
            ("from trl import DPOTrainer", "from trl import DPOConfig, DPOTrainer"),
            ("TrainingArguments(", "DPOConfig("),
        ),
    ),
    Report(
        "dhcode-cpp/X-R1#51",
        "grpo-shapes",
        "'XGRPOTrainer' object has no attribute 'num_iterations'",
        r"num_iterations|__init__|trl.*(release|version)",
        {"train.py": XGRPO, "prompts.jsonl": PROMPTS},
        changed(
            XGRPO,
            (BEGINNING, "        super().__init__(\n            model=model,\n"
             "            reward_funcs=reward_funcs,\n            args=args,\n"
             "            train_dataset=train_dataset,\n"
             "            processing_class=processing_class,\n        )\n"),
        ),
    ),
)  # fmt: skip
