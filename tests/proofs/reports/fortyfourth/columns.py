"""Threads of a forty-fourth list: columns that are read otherwise than they were meant."""

from reports.report import PAIRS, Report, changed, rows, turn

RECIPE = """\
# Model arguments
model_name_or_path: model

# Data training arguments
dataset_name: stratos.jsonl
dataset_text_field: messages

# SFT trainer config
output_dir: data/Open-R1-Distill
learning_rate: 2.0e-05
lr_scheduler_type: cosine
max_seq_length: 256
max_steps: 1
packing: false
per_device_train_batch_size: 2
gradient_accumulation_steps: 1
logging_steps: 1
save_strategy: "no"
report_to: none
use_cpu: true
"""
DISTILL = '''\
"""Supervised fine-tuning of a small instruct model on reasoning traces."""

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser


def main(script_args, training_args, model_args):
    tokenizer = AutoTokenizer.from_pretrained(model_args.model_name_or_path)
    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")
    trainer = SFTTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        train_dataset=dataset,
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    main(*parser.parse_args_and_config(["--config", "config_demo.yaml"]))
'''
AS_MESSAGES = """\
def to_messages(row):
    messages = [{"role": "system", "content": row["system"]}]
    for said in row["conversations"]:
        messages.append({"role": said["from"], "content": said["value"]})
    return {"messages": messages}


def main("""
STRATOS = rows(
    *(
        {
            "system": "Think before you answer.",
            "conversations": [
                {"from": "user", "value": asked}, {"from": "assistant", "value": said}
            ],
        }
        for asked, said in PAIRS
    )
)  # fmt: skip
INSTRUCTED = '''\
"""SFT on conversations that have an instruction for the system."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


def get_dataset(path):
    return load_dataset("json", data_files=path, split="train")


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    dataset = get_dataset("stratos.jsonl")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        args=SFTConfig(
            output_dir="distill",
            learning_rate=2e-5,
            per_device_train_batch_size=2,
            max_length=256,
            max_steps=2,
            logging_steps=1,
            save_strategy="no",
            report_to="none",
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=dataset,
        processing_class=tokenizer,
    )
    trainer.train()
    trained = tokenizer.decode(trainer.train_dataset[0]["input_ids"])
    print("the instruction of the system is trained:", "Think before you answer." in trained)


if __name__ == "__main__":
    main()
'''
WITH_SYSTEM = """\
def with_system(row):
    return {"messages": [{"role": "system", "content": row["system"]}, *row["messages"]]}


def get_dataset(path):
    dataset = load_dataset("json", data_files=path, split="train")
    return dataset.map(with_system, remove_columns="system")
"""
SYSTEMS = rows(
    *(
        {
            "system": "Think before you answer.",
            "messages": [turn("user", asked), turn("assistant", said)],
        }
        for asked, said in PAIRS
    )
)
REPORTS = (
    Report(
        "huggingface/open-r1#340",
        "grpo-first",
        r"KeyError: '(messages|text)'",
        r"\bmessages\b|conversations|dataset_text_field",
        {"train.py": DISTILL, "config_demo.yaml": RECIPE, "stratos.jsonl": STRATOS},
        {
            "config_demo.yaml": RECIPE.replace("dataset_text_field: messages\n", ""),
            **changed(
                DISTILL,
                ("def main(", AS_MESSAGES),
                ('split="train")\n',
                 'split="train")\n    dataset = dataset.map(to_messages, '
                 "remove_columns=dataset.column_names)\n"),
            ),
        },
    ),
    Report(
        "huggingface/open-r1#307",
        "current",
        "the instruction of the system is trained: False",
        r"\bsystem\b",
        {"train.py": INSTRUCTED, "stratos.jsonl": SYSTEMS},
        changed(
            INSTRUCTED,
            ("def get_dataset(path):\n"
             '    return load_dataset("json", data_files=path, split="train")\n', WITH_SYSTEM),
        ),
    ),
)  # fmt: skip
