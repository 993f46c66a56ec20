"""Threads of a thirty-seventh list: adapters that are asked, and adapters that cannot be."""

from reports.report import TEXT, Report, changed

CONVERTED = '''\
"""Fine-tunes with LoRA, converts the file of the adapter, and asks the tuned model."""

import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer


def base():
    return AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)


def convert(path):
    """Give the weights the names that they have in the model."""
    weights = load_file(f"{path}/adapter_model.safetensors")
    renamed = {name.replace("base_model.model.", ""): value for name, value in weights.items()}
    save_file(renamed, f"{path}/adapter_model.safetensors", metadata={"format": "pt"})


@torch.no_grad()
def loss(model, tokenizer, text):
    ids = tokenizer(text, return_tensors="pt")["input_ids"]
    return model.eval()(input_ids=ids, labels=ids).loss.item()


def main():
    set_seed(2)
    tokenizer = AutoTokenizer.from_pretrained("model")
    trainer = SFTTrainer(
        model=base(),
        processing_class=tokenizer,
        train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
        peft_config=LoraConfig(r=8, target_modules="all-linear", task_type="CAUSAL_LM"),
        args=SFTConfig(
            output_dir="lora",
            max_steps=8,
            per_device_train_batch_size=2,
            learning_rate=1e-2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    trainer.save_model("lora")
    convert("lora")
    tuned = PeftModel.from_pretrained(base(), "lora")
    text = "What is seven times six? Forty-two."
    same = loss(tuned, tokenizer, text) == loss(base(), tokenizer, text)
    print("the tuned model answers as the base model:", same)


if __name__ == "__main__":
    main()
'''
EVALUATED = '''\
"""GRPO with LoRA on sums; then the accuracy of the trained model is measured."""

import torch
from datasets import load_dataset
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import GRPOConfig, GRPOTrainer

BASE = "model"


def reward(completions, answer, **kwargs):
    return [
        float(gold in completion) - 0.01 * len(completion)
        for completion, gold in zip(completions, answer)
    ]


def train(adapter, tokenizer, rows):
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32),
        processing_class=tokenizer,
        reward_funcs=reward,
        train_dataset=rows,
        peft_config=LoraConfig(r=8, target_modules="all-linear", task_type="CAUSAL_LM"),
        args=GRPOConfig(
            output_dir="sums",
            max_steps=3,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=16,
            learning_rate=1e-2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    trainer.save_model(adapter)


@torch.no_grad()
def evaluate(adapter, rows):
    """How probable the right answers are for the model that was trained."""
    tokenizer = AutoTokenizer.from_pretrained(adapter)
    model = AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32).eval()
    scores = []
    for row in rows:
        ids = tokenizer(f"{row['prompt']} {row['answer']}", return_tensors="pt")["input_ids"]
        scores.append(model(input_ids=ids, labels=ids).loss.item())
    return scores


def main():
    set_seed(2)
    rows = load_dataset("json", data_files="sums.jsonl", split="train")
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    before = evaluate(BASE, rows)
    train("sums-lora", tokenizer, rows)
    after = evaluate("sums-lora", rows)
    print("the same before and after the training:", before == after)


if __name__ == "__main__":
    main()
'''
PROMPTED = '''\
"""Tunes the virtual tokens of a prompt encoder instead of the weights of the model."""

import torch
from datasets import load_dataset
from peft import PromptEncoderConfig, TaskType
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="texts.jsonl", split="train"),
    peft_config=PromptEncoderConfig(task_type=TaskType.CAUSAL_LM, num_virtual_tokens=8),
    args=SFTConfig(
        output_dir="prompt-encoder",
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
SUMS = "".join(f'{{"prompt": "What is {n} and {n}?", "answer": "{2 * n}"}}\n' for n in range(3, 11))
REPORTS = (
    Report(
        "hiyouga/LlamaFactory#732",
        "current",
        "as the base model: True",
        r"base_model\.model|missing (adapter )?keys|none of its \d+ weights has a place"
        r"|adapter.{0,120}(nothing|zero|as it began|no effect|same)",
        {"train.py": CONVERTED, "texts.jsonl": TEXT},
        changed(CONVERTED, ('    convert("lora")\n', "")),
    ),
    Report(
        "NVlabs/QeRL#20",
        "current",
        "after the training: True",
        r"adapter.{0,120}(not|never|without|no )|base model|untrained|sums-lora",
        {"train.py": EVALUATED, "sums.jsonl": SUMS},
        changed(
            EVALUATED,
            (
                "dtype=torch.float32).eval()\n    scores",
                "dtype=torch.float32).eval()\n"
                "    if adapter != BASE:\n"
                "        model = PeftModel.from_pretrained(model, adapter)\n"
                "    scores",
            ),
        ),
    ),
    Report(
        "huggingface/trl#3812",
        "grpo-shapes",
        "The size of tensor a",
        r"prompt (tuning|encoder|learning)|virtual|PromptEncoder|must match the size of tensor",
        {"train.py": PROMPTED, "texts.jsonl": TEXT},
        changed(
            PROMPTED,
            (
                "from peft import PromptEncoderConfig, TaskType",
                "from peft import LoraConfig, TaskType",
            ),
            (
                "PromptEncoderConfig(task_type=TaskType.CAUSAL_LM, num_virtual_tokens=8)",
                'LoraConfig(task_type=TaskType.CAUSAL_LM, target_modules="all-linear")',
            ),
        ),
    ),
)
