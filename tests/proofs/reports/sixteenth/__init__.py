"""Threads of a sixteenth list: by the user's symptom, in any tracker; arguments that are refused.

The words of the modules sixteenth* were written down before the first result: 38 symptoms of TRL's
trainers (loss nan, reward stays 0, completions never end, garbage after training, accuracy stays at
0.5, odd metrics, wrong checkpoint, out of memory, hangs …) and, after 28 searches of these, 15 for
the trackers of other projects. 53 searches of issues and three of pages were made, some with words
of what others gave; the pages were manuals. Every thread of 2024 to 2026 that had a cause which a
script can show, a number that was nowhere here, and a run in an environment here was taken; a kind
that is here already was no reason to leave one out, the same failure of the same trainer was. Some
are pull requests, or reviews of them, in which a project corrects its own script. That what is
saved lacks its template (awesome-llm-apps#1027) and that samples of a pack read one another
(trl#1230) is reported as a fault by their users; both runs end.

Left out: no known cause: trl#1884, #2382, #3238, #3903, #4029, #4922,
discuss.huggingface.co#170526; a release, a model or a package that no environment has: trl#3427,
ms-swift#8123, transformers#28539, #39736; the same failure as one here: trl#2758, #3684, #6025,
autotrain-advanced#772, PraisonAI#4358; no run fails: trl#2400, #3120, #4531,
alignment-handbook#204; figures of memory alone: Soup#797; a judgment about what is rewarded:
trl#2771; several processes: trl#3204. Some 60 threads were here.
"""

from dataclasses import replace

from reports.report import COMPLETIONS, PROMPTS, TEXT, Report, changed
from reports.sixteenth import labels, preferences, rows, scripts

ASSISTANT_ONLY = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

params = {"max_seq_len": 256, "sample_packing": False, "dataset_type": "passthrough"}


def build_config(params):
    return SFTConfig(
        output_dir="ckpt",
        max_length=params["max_seq_len"],
        packing=params.get("sample_packing", True),
        dataset_text_field="text",
        assistant_only_loss=True,
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=2e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )


trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=build_config(params),
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained("model"),
)
trainer.train()
"""
EARLY_STOP = """\
from datasets import load_dataset
from transformers import EarlyStoppingCallback
from trl import SFTConfig, SFTTrainer

config = {"output_dir": "lora_model", "num_train_epochs": 1, "early_stopping_patience": 2}
sft_params = {
    "output_dir": config["output_dir"],
    "num_train_epochs": config["num_train_epochs"],
    "per_device_train_batch_size": 2,
    "learning_rate": 2e-4,
    "eval_strategy": "epoch",
    "save_strategy": "no",
    "report_to": "none",
    "use_cpu": True,
    "bf16": False,
}
callbacks = []
if config.get("early_stopping_patience"):
    sft_params["load_best_model_at_end"] = True
    sft_params["metric_for_best_model"] = "eval_loss"
    callbacks.append(EarlyStoppingCallback(config["early_stopping_patience"]))

data = load_dataset("json", data_files="texts.jsonl", split="train")
parts = data.train_test_split(test_size=0.5, seed=3407)
trainer = SFTTrainer(
    model="model",
    args=SFTConfig(**sft_params),
    train_dataset=parts["train"],
    eval_dataset=parts["test"],
    callbacks=callbacks,
)
trainer.train()
"""
UNDIVIDED = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

config = {
    "method": "grpo",
    "model_name": "model",
    "per_device_train_batch_size": 2,
    "gradient_accumulation_steps": 1,
    "max_completion_length": 16,
}


def length_reward(completions, **kwargs):
    return [-abs(20.0 - len(one)) for one in completions]


params = {key: value for key, value in config.items() if key not in ("method", "model_name")}
for key in ("num_generations",):
    if config.get(key) is not None:
        params[key] = int(config[key])
args = GRPOConfig(
    output_dir="grpo_model",
    max_steps=1,
    learning_rate=1e-4,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
    **params,
)
trainer = GRPOTrainer(
    model=config["model_name"],
    args=args,
    reward_funcs=[length_reward],
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
)
trainer.train()
"""
SIMPLE_PIPELINE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
from trl import SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
train_dataset = load_dataset("json", data_files="train_gen.jsonl", split="train")


def formatting_prompts_func(example):
    return f"<|user|>{example['prompt']}<|assistant|>{example['completion']}" + tokenizer.eos_token


training_arguments = TrainingArguments(
    output_dir="./training_results",
    max_steps=1,
    per_device_train_batch_size=2,
    learning_rate=2e-4,
    lr_scheduler_type="cosine",
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    train_dataset=train_dataset,
    formatting_func=formatting_prompts_func,
    max_seq_length=300,
    processing_class=tokenizer,
    args=training_arguments,
)
trainer.train()
"""
THREADS = (
    Report(
        "Red-Hat-AI-Innovation-Team/training_hub#104",
        "current",
        "but the dataset is not conversational",
        "assistant_only_loss",
        {"train.py": ASSISTANT_ONLY, "texts.jsonl": TEXT},
        changed(
            ASSISTANT_ONLY,
            (
                "assistant_only_loss=True",
                'assistant_only_loss=params.get("dataset_type") != "passthrough"',
            ),
        ),
    ),
    Report(
        "MervinPraison/PraisonAI#3283",
        "current",
        "requires the save and eval strategy to match",
        "save_strategy|load_best_model_at_end",
        {"train.py": EARLY_STOP, "texts.jsonl": TEXT},
        changed(
            EARLY_STOP,
            (
                '    sft_params["load_best_model_at_end"] = True\n',
                '    sft_params["load_best_model_at_end"] = True\n'
                '    sft_params["save_strategy"] = sft_params["eval_strategy"]\n',
            ),
        ),
        level="",
    ),
    Report(
        "MervinPraison/PraisonAI#4366",
        "current",
        "must be divisible by num_generations",
        "num_generations",
        {"train.py": UNDIVIDED, "prompts.jsonl": PROMPTS},
        changed(
            UNDIVIDED,
            (
                '    "max_completion_length": 16,\n}',
                '    "max_completion_length": 16,\n    "num_generations": 2,\n}',
            ),
        ),
        level="",
    ),
    Report(
        "instructlab/instructlab#2840",
        "grpo-first",
        "unexpected keyword argument 'max_seq_length'",
        "max_seq_length",
        {"train.py": SIMPLE_PIPELINE, "train_gen.jsonl": COMPLETIONS},
        changed(
            SIMPLE_PIPELINE,
            ("AutoTokenizer, TrainingArguments\n", "AutoTokenizer\n"),
            ("from trl import SFTTrainer", "from trl import SFTConfig, SFTTrainer"),
            (
                'TrainingArguments(\n    output_dir="./training_results",\n',
                'SFTConfig(\n    output_dir="./training_results",\n    max_seq_length=300,\n',
            ),
            ("    max_seq_length=300,\n    processing_class", "    processing_class"),
        ),
    ),
)
REPORTS = tuple(
    replace(report, group="sixteenth")
    for report in (*THREADS, *labels.REPORTS, *preferences.REPORTS, *rows.REPORTS, *scripts.REPORTS)
)
