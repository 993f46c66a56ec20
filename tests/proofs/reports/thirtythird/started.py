"""Threads of a thirty-third list: arguments that moved."""

from reports.report import COMPLETIONS, TEXT, Report, changed

MOVED = '''\
"""A trainer class around SFTTrainer, for several experiments."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class Experiment:
    def __init__(self, name, max_token_length=128):
        self.model = AutoModelForCausalLM.from_pretrained(name)
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.max_token_length = max_token_length
        self.train_config = SFTConfig(
            output_dir="experiment",
            max_steps=1,
            per_device_train_batch_size=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        )

    def run(self, train_dataset, evaluation_dataset):
        trainer = SFTTrainer(
            model=self.model,
            train_dataset=train_dataset,
            eval_dataset=evaluation_dataset,
            dataset_num_proc=2,
            dataset_text_field="text",
            processing_class=self.tokenizer,
            args=self.train_config,
        )
        return trainer.train()


if __name__ == "__main__":
    data = load_dataset("json", data_files="notes.jsonl", split="train")
    parts = data.train_test_split(test_size=1, seed=0)
    stats = Experiment("model").run(parts["train"], parts["test"])
    print(stats.metrics["train_loss"])
'''
PISSA = '''\
"""Trains the principal components of a model."""

from dataclasses import dataclass, field

from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import SFTConfig, SFTTrainer


@dataclass
class ScriptArguments(SFTConfig):
    base_model_name_or_path: str = field(default="model")
    init_lora_weights: str = field(default="pissa")
    lora_r: int = field(default=4)
    data_path: str = field(default="math.jsonl")
    dataset_field: str = field(default="prompt completion")


(script_args,) = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses(
    args=[
        *("--output_dir", "pissa", "--max_steps", "1", "--per_device_train_batch_size", "2"),
        *("--report_to", "none", "--save_strategy", "no", "--use_cpu"),
    ]
)
model = AutoModelForCausalLM.from_pretrained(script_args.base_model_name_or_path)
tokenizer = AutoTokenizer.from_pretrained(script_args.base_model_name_or_path)
lora_config = LoraConfig(
    r=script_args.lora_r,
    lora_alpha=script_args.lora_r,
    init_lora_weights=script_args.init_lora_weights,
    target_modules=["q_proj", "o_proj", "k_proj", "v_proj", "gate_proj", "up_proj", "down_proj"],
    bias="none",
    task_type="CAUSAL_LM",
)
peft_model = get_peft_model(model, lora_config)
peft_model.print_trainable_parameters()

query, response = script_args.dataset_field.split()
dataset = load_dataset("json", data_files=script_args.data_path, split="train")
dataset = dataset.map(
    lambda example: {"text": f"### USER: {example[query]}\\n### ASSISTANT: {example[response]}"},
    remove_columns=dataset.column_names,
)

trainer = SFTTrainer(
    model=peft_model,
    args=script_args,
    train_dataset=dataset,
    tokenizer=tokenizer,
)
trainer.train()
peft_model.save_pretrained(script_args.output_dir)
'''
REPORTS = (
    Report(
        "unslothai/unsloth#2010",
        "current",
        "unexpected keyword argument 'dataset_num_proc'",
        r"dataset_num_proc",
        {"train.py": MOVED, "notes.jsonl": TEXT},
        changed(
            MOVED,
            ('            dataset_num_proc=2,\n            dataset_text_field="text",\n', ""),
            (
                "            max_steps=1,\n",
                "            max_steps=1,\n            dataset_num_proc=2,\n"
                '            dataset_text_field="text",\n',
            ),
        ),
    ),
    Report(
        "huggingface/peft#2663",
        "grpo-shapes",
        "unexpected keyword argument 'tokenizer'",
        r"processing_class|\btokenizer\b.{0,60}(argument|renamed|keyword)",
        {"train.py": PISSA, "math.jsonl": COMPLETIONS},
        changed(PISSA, ("    tokenizer=tokenizer,", "    processing_class=tokenizer,")),
    ),
)
