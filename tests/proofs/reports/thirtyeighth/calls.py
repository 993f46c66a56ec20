"""Threads of a thirty-eighth list: what a trainer is called with."""

from reports.report import PAIRS, PREFERENCES, TEXT, Report, changed, rows

HALF = '''\
"""Supervised fine-tuning in a smaller data type, after the documentation."""

import torch
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

dataset = load_dataset("json", data_files="texts.jsonl", split="train")
settings = SFTConfig(
    output_dir="tmp",
    dataset_text_field="text",
    max_length=64,
    per_device_train_batch_size=2,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    "model",
    args=settings,
    train_dataset=dataset,
    torch_dtype=torch.bfloat16,
)
trainer.train()
'''
BOTH = '''\
"""DPO after supervised fine-tuning, with LoRA or with all parameters."""

from copy import deepcopy
from dataclasses import dataclass, field

from datasets import load_dataset
from peft import LoraConfig, TaskType
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser
from trl import DPOConfig, DPOTrainer


@dataclass
class ScriptArguments:
    model_name_or_path: str = field(default="model")
    train_file: str = field(default="pairs.jsonl")
    use_peft: bool = field(default=True)
    lora_rank: int = field(default=4)
    lora_alpha: float = field(default=16.0)
    max_steps: int = field(default=1)


def main():
    args = HfArgumentParser(ScriptArguments).parse_args_into_dataclasses(args=[])[0]
    tokenizer = AutoTokenizer.from_pretrained(args.model_name_or_path)
    model = AutoModelForCausalLM.from_pretrained(args.model_name_or_path)
    ref_model = deepcopy(model)
    peft_config = None
    if args.use_peft:
        peft_config = LoraConfig(
            task_type=TaskType.CAUSAL_LM,
            target_modules=["q_proj", "v_proj", "o_proj"],
            r=args.lora_rank,
            lora_alpha=args.lora_alpha,
            lora_dropout=0.05,
        )
    training_args = DPOConfig(
        output_dir="outputs-dpo",
        max_length=128,
        max_prompt_length=64,
        per_device_train_batch_size=2,
        max_steps=args.max_steps,
        learning_rate=5e-4,
        remove_unused_columns=False,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    trainer = DPOTrainer(
        model,
        ref_model=ref_model,
        args=training_args,
        train_dataset=load_dataset("json", data_files=args.train_file, split="train"),
        processing_class=tokenizer,
        peft_config=peft_config,
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
TALKS = rows(
    *(
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": a},
                {"role": "assistant", "content": b},
            ]
        }
        for a, b in PAIRS
    )
)
MARKED = '''\
"""Language modelling with a model that could see: only the turns of the assistant have a loss."""

from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoTokenizer
from trl import SFTConfig, SFTTrainer

TEMPLATE = (
    "{%- for m in messages -%}{{ '<|im_start|>' + m.role + '\\\\n' }}"
    "{%- if m.role == 'assistant' -%}"
    "{% generation %}{{ m.content + '<|im_end|>' }}{% endgeneration %}{{ '\\\\n' }}"
    "{%- else -%}{{ m.content + '<|im_end|>\\\\n' }}{%- endif -%}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\\\n' }}{%- endif -%}"
)


tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.chat_template = TEMPLATE
model = AutoModelForImageTextToText.from_pretrained("model")
talks = load_dataset("json", data_files="talks.jsonl", split="train")
lengths = [
    len(tokenizer(tokenizer.apply_chat_template(row["messages"], tokenize=False))["input_ids"])
    for row in talks
]
print("longest conversation:", max(lengths), "tokens")

trainer = SFTTrainer(
    model=model,
    train_dataset=talks,
    args=SFTConfig(
        output_dir="text-only",
        assistant_only_loss=True,
        max_length=256,
        max_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
'''
REPORTS = (
    Report(
        "huggingface/trl#714",
        "four",
        "unexpected keyword argument 'torch_dtype'",
        r"torch_dtype|model_init_kwargs",
        {"train.py": HALF, "texts.jsonl": TEXT},
        changed(
            HALF,
            ("    torch_dtype=torch.bfloat16,\n", ""),
            (
                '    dataset_text_field="text",',
                '    model_init_kwargs={"torch_dtype": torch.bfloat16},\n'
                '    dataset_text_field="text",',
            ),
        ),
    ),
    Report(
        "shibing624/MedicalGPT#334",
        "grpo-shapes",
        "You passed both a ref_model and a peft_config",
        r"ref_model.*(peft|adapter)|(peft|adapter).*ref_model",
        {"train.py": BOTH, "pairs.jsonl": PREFERENCES},
        changed(
            BOTH,
            (
                "ref_model = deepcopy(model)",
                "ref_model = None if args.use_peft else deepcopy(model)",
            ),
        ),
    ),
    Report(
        "discuss.huggingface.co/t/176210",
        "vision-four",
        "ssistant-only loss is not yet supported",
        r"assistant_only_loss|assistant-only",
        {"train.py": MARKED, "talks.jsonl": TALKS},
        changed(
            MARKED,
            ("    model=model,\n", "    model=model,\n    processing_class=tokenizer,\n"),
        ),
        sees="gemma3",
    ),
)
