"""Threads that searches for trainers with a symptom found: supervised training.

The searches of the modules eleventh*, written down before the first result. Issues: GRPOTrainer
reward function TypeError; GRPO loss zero; GRPO ValueError notebook; GRPO reward std 0; GRPO
generation config ignored; GRPO tool calling error; GRPO dataset column KeyError; RLOOTrainer error;
RLOO reward wrong; PPOTrainer AttributeError; PPO value head; PPO KL negative; DPOTrainer KeyError;
DPO loss 0.693 stuck; DPO rewards nan; DPO reference model adapter; DPO evaluation error; KTOTrainer
error; KTO labels; RewardTrainer error; reward model loss stuck; ORPOTrainer nan; CPO SimPO error;
PRMTrainer error; BCO error; GKD error; OnlineDPO error; Nash XPO judge error; SFT unable to create
tensor; SFT labels all -100; SFT packing error; SFT assistant mask; SFT response template not found;
SFT compute_metrics; SFT LoRA added tokens; SFT chat template missing; SFT column names; SFT text
truncated in silence; SFT custom loss; trl sft YAML error; trl command dataset; TrlParser error;
accelerate launch trl script; ImportError cannot import name trl; trl save checkpoint error; trl
resume; trl callback error; num_items_in_batch; verifiers trl error; open-r1 dataset error. Pages:
the names of SFT, DPO, GRPO, PPO, reward and KTO trainers, each with forum and error.

After a third of these a second list was written, of messages, each with a trainer's name: string
indices must be integers; roles must alternate; system role not supported; no chat template; target
modules not found; did not return a loss; no columns match; num_samples=0; element 0 does not
require grad; index out of range; overflow in decode; concatenate str to list; has no attribute
score; evaluation requires eval_dataset; load_best_model_at_end; unexpected keyword of a config;
input_ids missing; not JSON serializable; cannot pickle; dtype mismatch; division by zero.

56 searches were made: not all of the two lists, and some with words of what the others gave; the
pages gave none. All 21 that were rebuilt fail; nothing new was found of KTO and RLOO. Left out:
a release that no environment has: trl#1281, #1487, #1564, #2218, #2486, #3102, #4096; vLLM, several
processes, a project's own trainer: trl#7031, verifiers#50, unsloth#2464, #2896, MedicalGPT#417; the
bug of one that is here: trl#2614, #6025, FineTuningLLMs#5, open-r1-multimodal#19; no known cause or
no failure: trl#2203, #2385, #2771, #3577, #3681, direct-preference-optimization#94. trl#3529 has no
remedy in its thread: the healthy form says the tool's turn as the user.
"""

from dataclasses import replace

from reports.eleventh import columns, contents, groups, ppo, preferences, roles, subclasses
from reports.report import COMPLETIONS, TEXT, Report, changed, rows, turn

GEMMA = '''\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model_name = "model"
model = AutoModelForCausalLM.from_pretrained(model_name)
tokenizer = AutoTokenizer.from_pretrained(model_name)
tokenizer.chat_template = """
{%- for message in messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
    {%- endif -%}
    {%- set role = "model" if message['role'] == 'assistant' else message['role'] -%}
    {{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<|im_end|>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<start_of_turn>model\\n' }}{%- endif -%}
"""
train_dataset = load_dataset("json", data_files="everyday.jsonl", split="train")

training_args = SFTConfig(
    output_dir="gemma-3-270m-everyday",
    max_length=512,
    max_steps=2,
    per_device_train_batch_size=2,
    learning_rate=2e-4,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    args=training_args,
    train_dataset=train_dataset,
    processing_class=tokenizer,
)
trainer.train()
'''
FOUR_TURNS = (
    ("What is a tide?", "The rise and fall of the sea.", "How often?", "Twice a day."),
    ("Name a prime.", "Seven.", "And a larger one?", "Eleven."),
    ("What do bees make?", "Honey.", "From what?", "From nectar."),
    ("Is ice lighter than water?", "Yes.", "So it floats?", "It does."),
)


def everyday(*roles: str) -> str:
    """The conversations, their turns said by these roles."""
    return rows(
        *(
            {"messages": [turn(role, text) for role, text in zip(roles, turns, strict=True)]}
            for turns in FOUR_TURNS
        )
    )


HANDBOOK = """\
import sys
from dataclasses import dataclass, field
from typing import Optional

import transformers
import trl
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser


@dataclass
class DataArguments:
    train_file: str = field(default="rows.jsonl")


@dataclass
class SFTConfig(transformers.TrainingArguments):
    max_seq_length: Optional[int] = field(
        default=None, metadata={"help": "How long a tokenized row may be."}
    )
    logging_first_step: bool = field(default=True)
    optim: Optional[str] = field(default="adamw_torch")


def main():
    parser = HfArgumentParser((DataArguments, SFTConfig))
    recipe = sys.argv[1] if len(sys.argv) > 1 else "config_full.yaml"
    data_args, training_args = parser.parse_yaml_file(recipe)
    tokenizer = AutoTokenizer.from_pretrained("model")
    model = AutoModelForCausalLM.from_pretrained("model")
    raw_datasets = load_dataset("json", data_files={"train": data_args.train_file})

    trainer = trl.SFTTrainer(
        model=model,
        args=training_args,
        train_dataset=raw_datasets["train"],
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    main()
"""
FULL = """\
train_file: rows.jsonl
output_dir: data/zephyr-7b-sft-full
learning_rate: 2.0e-04
max_seq_length: 64
max_steps: 1
per_device_train_batch_size: 2
save_strategy: "no"
report_to: none
use_cpu: true
"""
ONLY = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="rows.jsonl", split="train")
model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")


def formatting_prompts_func(example):
    return f"### Question: {example['prompt']}\\n ### Answer:{example['completion']}"


response_template = " ### Answer:"
collator = DataCollatorForCompletionOnlyLM(response_template, tokenizer=tokenizer)
trainer = SFTTrainer(
    model,
    train_dataset=dataset,
    args=SFTConfig(
        output_dir="sft-answers", max_steps=1, report_to="none", save_strategy="no", use_cpu=True
    ),
    formatting_func=formatting_prompts_func,
    data_collator=collator,
)
trainer.train()
"""
THREADS = (
    Report(
        "huggingface/smol-course#260",
        "current",
        "Conversation roles must alternate",
        "alternate|role",
        {"train.py": GEMMA, "everyday.jsonl": everyday("user", "assistant", "user", "user")},
        {"everyday.jsonl": everyday("user", "assistant", "user", "assistant")},
    ),
    Report(
        "huggingface/alignment-handbook#178",
        "ppo-first",
        "'SFTConfig' object has no attribute",
        "TrainingArguments|trl.SFTConfig",
        {"train.py": HANDBOOK, "config_full.yaml": FULL, "rows.jsonl": TEXT},
        changed(
            HANDBOOK,
            ("class SFTConfig(transformers.TrainingArguments)", "class SFTConfig(trl.SFTConfig)"),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#3827",
        "four",
        "cannot import name 'DataCollatorForCompletionOnlyLM'",
        "DataCollatorForCompletionOnlyLM",
        {"train.py": ONLY, "rows.jsonl": COMPLETIONS},
        changed(
            ONLY,
            ("DataCollatorForCompletionOnlyLM, ", ""),
            (ONLY[ONLY.index("\ndef format") : ONLY.index("trainer =")], ""),
            ('output_dir="sft-answers"', 'output_dir="sft-answers", completion_only_loss=True'),
            ("    formatting_func=formatting_prompts_func,\n    data_collator=collator,\n", ""),
        ),
    ),
)
REPORTS = tuple(
    replace(report, group="eleventh")
    for report in (
        *THREADS,
        *contents.REPORTS,
        *groups.REPORTS,
        *ppo.REPORTS,
        *preferences.REPORTS,
        *roles.REPORTS,
        *columns.REPORTS,
        *subclasses.REPORTS,
    )
)
