"""Threads of a thirty-ninth list: columns and arguments with other names."""

from reports.report import CHATS, PAIRS, Report, changed, rows

RAW = rows(
    *({"question": a, "solution": b, "cot_type": "math", "thinking_trajectories": [f"Well: {b}"]}
      for a, b in PAIRS)
)  # fmt: skip
S1 = '''\
"""Supervised fine-tuning of a reasoning model on a thousand questions."""

from dataclasses import asdict, dataclass

import transformers
import trl
from datasets import load_dataset


@dataclass
class TrainingConfig:
    model_name: str = "model"
    block_size: int = 512
    train_file_path: str = "s1K.jsonl"


def train():
    config = TrainingConfig()
    print("Training config:", asdict(config))
    model = transformers.AutoModelForCausalLM.from_pretrained(config.model_name)
    dataset = load_dataset("json", data_files=config.train_file_path, split="train")
    tokenizer = transformers.AutoTokenizer.from_pretrained(config.model_name, use_fast=True)
    instruction_template = "<|im_start|>user"
    response_template = "<|im_start|>assistant\\n"
    tokenizer.pad_token = "<|fim_pad|>"
    collator = trl.DataCollatorForCompletionOnlyLM(
        instruction_template=instruction_template,
        response_template=response_template,
        tokenizer=tokenizer,
        mlm=False,
    )
    args = trl.SFTConfig(
        output_dir="ckpts/s1",
        dataset_text_field="text",
        max_seq_length=config.block_size,
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    trainer = trl.SFTTrainer(
        model,
        train_dataset=dataset,
        args=args,
        data_collator=collator,
        processing_class=tokenizer,
    )
    trainer.train()
    trainer.save_model(output_dir=args.output_dir)
    tokenizer.save_pretrained(args.output_dir)


if __name__ == "__main__":
    train()
'''
TOKENIZATION = """\

    def preprocess(row):
        thought = "\\n".join(row["thinking_trajectories"])
        answer = f"<|im_start|>think\\n{thought}\\n<|im_start|>answer\\n{row['solution']}"
        talk = [
            {"role": "user", "content": row["question"]},
            {"role": "assistant", "content": answer},
        ]
        return {"text": tokenizer.apply_chat_template(talk, tokenize=False)}

    dataset = dataset.map(preprocess, remove_columns=dataset.column_names)
"""
NOTEBOOK = """\
# Supervised Fine-Tuning with SFTTrainer: the cells of the notebook, one after the other.
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

device = "cpu"
model_name = "model"
model = AutoModelForCausalLM.from_pretrained(pretrained_model_name_or_path=model_name).to(device)
tokenizer = AutoTokenizer.from_pretrained(pretrained_model_name_or_path=model_name)

finetune_name = "SmolLM2-FT-MyDataset"
ds = load_dataset("json", data_files={"train": "talks.jsonl", "test": "talks.jsonl"})

sft_config = SFTConfig(
    output_dir="./sft_output",
    max_steps=2,
    per_device_train_batch_size=4,
    learning_rate=5e-5,
    logging_steps=1,
    save_steps=2,
    evaluation_strategy="steps",
    eval_steps=2,
    use_cpu=True,
    bf16=False,
    report_to="none",
)
trainer = SFTTrainer(
    model=model,
    args=sft_config,
    train_dataset=ds["train"],
    tokenizer=tokenizer,
    eval_dataset=ds["test"],
)
trainer.train()
trainer.save_model(f"./{finetune_name}")
"""
QUESTIONS = rows(*({"question": f"Add {n} and 3.", "solution": str(n + 3)} for n in range(4)))
GRPO = '''\
"""GRPO as a recipe: the data set, the system prompt and the rewards have names."""

from dataclasses import dataclass, field

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser


@dataclass
class GRPOScriptArguments(ScriptArguments):
    reward_funcs: list[str] = field(default_factory=lambda: ["accuracy", "length"])
    dataset_prompt_column: str = field(default="problem")


def accuracy_reward(completions, solution, **kwargs):
    said = [completion[0]["content"].strip() for completion in completions]
    return [float(text.endswith(right)) for text, right in zip(said, solution)]


def length_reward(completions, **kwargs):
    return [-len(completion[0]["content"]) / 100 for completion in completions]


REWARDS = {"accuracy": accuracy_reward, "length": length_reward}


def main(script_args, training_args, model_args):
    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")

    def make_conversation(example):
        prompt = [{"role": "system", "content": "You are a helpful assistant."}]
        prompt.append({"role": "user", "content": example["problem"]})
        return {"prompt": prompt}

    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=[REWARDS[name] for name in script_args.reward_funcs],
        args=training_args,
        train_dataset=dataset.map(make_conversation),
    )
    trainer.train()


RECIPE = """
--model_name_or_path model --dataset_name questions.jsonl --output_dir data/GRPO
--dataset_prompt_column question --reward_funcs accuracy length
--per_device_train_batch_size 4 --num_generations 4 --max_completion_length 12
--max_steps 1 --report_to none --save_strategy no --use_cpu true --bf16 false
"""
if __name__ == "__main__":
    parser = TrlParser((GRPOScriptArguments, GRPOConfig, ModelConfig))
    main(*parser.parse_args_and_config(RECIPE.split()))
'''
REPORTS = (
    Report(
        "simplescaling/s1#5",
        "grpo-first",
        "KeyError: 'text'",
        r"\btext\b",
        {"train.py": S1, "s1K.jsonl": RAW},
        changed(
            S1,
            (
                '    tokenizer.pad_token = "<|fim_pad|>"\n',
                f'    tokenizer.pad_token = "<|fim_pad|>"\n{TOKENIZATION}',
            ),
        ),
    ),
    Report(
        "huggingface/smol-course#220",
        "four",
        "unexpected keyword argument 'evaluation_strategy'",
        "evaluation_strategy|eval_strategy",
        {"train.py": NOTEBOOK, "talks.jsonl": CHATS},
        changed(
            NOTEBOOK,
            ("evaluation_strategy=", "eval_strategy="),
            ("tokenizer=tokenizer", "processing_class=tokenizer"),
        ),
    ),
    Report(
        "huggingface/open-r1#540",
        "current",
        "KeyError: 'problem'",
        "problem",
        {"train.py": GRPO, "questions.jsonl": QUESTIONS},
        changed(GRPO, ('example["problem"]', "example[script_args.dataset_prompt_column]")),
    ),
)  # fmt: skip
