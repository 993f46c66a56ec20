"""Threads of a thirty-ninth list: rows that are longer than something allows."""

import json

from laid import ROOT

from reports.report import PAIRS, Report, changed, rows, turn

HEALTHY = ROOT / "fixtures/models/healthy"
CONFIG = json.loads((HEALTHY / "config.json").read_text())
THOUGHT = "First I read the question, then I write down what is known and try each way. " * 3
REASONED = rows(
    *({"messages": [turn("user", asked), turn("assistant", THOUGHT + said)]}
      for asked, said in (("Add 2 and 3.", "5"), ("Double 8.", "16"), ("Halve 10.", "5")))
)  # fmt: skip
RECIPE = """\
model_name_or_path: model
dataset_name: reasoned.jsonl
output_dir: data/OpenR1-Qwen-7B
max_length: 512
max_steps: 1
per_device_train_batch_size: 1
gradient_accumulation_steps: 2
learning_rate: 5.0e-05
packing: false
report_to: none
save_strategy: "no"
use_cpu: true
bf16: false
"""
SFT = '''\
"""Distils long reasoning into a model of mathematics; its arguments are those of the recipe."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser


def main(script_args, training_args, model_args):
    model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
    trainer = SFTTrainer(
        model=model,
        args=training_args,
        train_dataset=load_dataset("json", data_files=script_args.dataset_name, split="train"),
        processing_class=AutoTokenizer.from_pretrained(model_args.model_name_or_path),
    )
    trainer.train()
    past = [r for r in trainer.train_dataset["input_ids"]
            if len(r) > model.config.max_position_embeddings]
    print("rows past the last position of the model:", len(past))


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    main(*parser.parse_args_and_config(["--config", "recipe.yaml"]))
'''
TOOLS = " ".join(f"Tool {n} reads a file, looks for a word and gives its line." for n in range(9))
AGENTS = rows(
    *({"prompt": [{"role": "system", "content": TOOLS}, {"role": "user", "content": a}],
       "completion": [{"role": "assistant", "content": b}]} for a, b in PAIRS)
)  # fmt: skip
TRANSCRIPTS = '''\
"""Trains on completions of agent transcripts; each begins with a description of the tools."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

config = {"max_seq_length": 256, "train_on_completions": True, "batch_size": 2}

trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="agents.jsonl", split="train"),
    args=SFTConfig(
        output_dir="studio",
        max_length=config["max_seq_length"],
        completion_only_loss=config["train_on_completions"],
        per_device_train_batch_size=config["batch_size"],
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
learning = sum((batch["labels"] != -100).any(1).sum() for batch in trainer.get_train_dataloader())
print("rows with something to learn:", int(learning))
'''
SENTENCE = "The food was served late and it was cold, but the view of the lake made up for it. "
REVIEWS = rows(
    *({"text": SENTENCE * 24, "label": n % 2} for n in range(3)),
    {"text": "Good.", "label": 1},
)
CLASSES = '''\
"""Text classification with a language model: the last token is the class."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling
from trl import SFTConfig, SFTTrainer

NUM_CLASSES = 2
max_seq_length = 2048
tokenizer = AutoTokenizer.from_pretrained("model", model_max_length=max_seq_length)
model = AutoModelForCausalLM.from_pretrained("model")
classes = [str(n) for n in range(NUM_CLASSES)]
number_token_ids = [tokenizer.encode(n, add_special_tokens=False)[0] for n in classes]
reverse_map = {value: at for at, value in enumerate(number_token_ids)}
prompt = """Here is a review:
{}

Classify it as one of these:
class 0: bad
class 1: good

SOLUTION
The correct answer is: class {}"""


def formatting_prompts_func(rows):
    texts = [prompt.format(t, label) for t, label in zip(rows["text"], rows["label"])]
    return tokenizer(texts)


class DataCollatorForLastTokenLM(DataCollatorForLanguageModeling):
    def torch_call(self, examples):
        batch = super().torch_call(examples)
        for i in range(len(batch["labels"])):
            # Find the last non-padding token
            last_token_idx = (batch["labels"][i] != -100).nonzero()[-1].item()
            # Set all labels to the ignore index except for the last token
            batch["labels"][i, :last_token_idx] = -100
            number = reverse_map[batch["labels"][i, last_token_idx].item()]
            batch["labels"][i, last_token_idx] = number_token_ids[number]
        return batch


dataset = load_dataset("json", data_files="reviews.jsonl", split="train")
dataset = dataset.map(formatting_prompts_func, batched=True, remove_columns=["text", "label"])
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=dataset,
    data_collator=DataCollatorForLastTokenLM(tokenizer=tokenizer, mlm=False),
    args=SFTConfig(
        output_dir="outputs",
        per_device_train_batch_size=4,
        max_steps=1,
        learning_rate=1e-4,
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
        "huggingface/open-r1#545",
        "current",
        "rows past the last position of the model: 3",
        r"max_position_embeddings|positions?\b",
        {"train.py": SFT, "recipe.yaml": RECIPE, "reasoned.jsonl": REASONED,
         "model/config.json": json.dumps({**CONFIG, "max_position_embeddings": 128})},
        {"model/config.json": json.dumps(CONFIG)},
    ),
    Report(
        "unslothai/unsloth#11321",
        "current",
        "num_samples should be a positive integer value",
        r"max_length|cut|truncat",
        {"train.py": TRANSCRIPTS, "agents.jsonl": AGENTS},
        changed(TRANSCRIPTS, ('"max_seq_length": 256', '"max_seq_length": 1024')),
    ),
    Report(
        "timothelaborie/text_classification_scripts#14",
        "four",
        r"reverse_map\[[^\n]*\n(.*\n)*KeyError: \d+",
        r"max_length|cut|truncat|1024",
        {"train.py": CLASSES, "reviews.jsonl": REVIEWS},
        changed(
            CLASSES,
            (
                '        output_dir="outputs",\n',
                '        output_dir="outputs",\n        max_length=max_seq_length,\n',
            ),
        ),
    ),
)  # fmt: skip
