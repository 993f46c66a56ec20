"""Threads of a fortieth list: which tokens have a label."""

from reports.report import CHATS, Report, changed

RECIPE = '''\
"""Supervised fine-tuning as a recipe: a chat model learns from conversations."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.pad_token = tokenizer.eos_token
training_args = SFTConfig(
    output_dir="data/OpenR1-Distill",
    max_seq_length=256,
    per_device_train_batch_size=4,
    max_steps=1,
    learning_rate=5e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=training_args,
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
labels = next(iter(trainer.get_train_dataloader()))["labels"]
print("ends of a turn with a label:", int((labels == tokenizer.eos_token_id).sum()))
'''
CONVERSATIONS = '''\
"""The trainer of an agent framework: a config says what is trained, and how."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

CONFIG = {
    "model_name": "model",
    "dataset": "chats.jsonl",
    "train_on_responses_only": True,
    "max_seq_length": 512,
    "per_device_train_batch_size": 4,
    "max_steps": 1,
    "learning_rate": 2e-4,
}


class TrainModel:
    def __init__(self, config):
        self.config = config
        self.tokenizer = AutoTokenizer.from_pretrained(config["model_name"])
        self.model = AutoModelForCausalLM.from_pretrained(config["model_name"])

    def process_dataset(self):
        dataset = load_dataset("json", data_files=self.config["dataset"], split="train")

        def render(row):
            return {"text": self.tokenizer.apply_chat_template(row["messages"], tokenize=False)}

        return dataset.map(render, remove_columns=["messages"])

    def train(self):
        args = SFTConfig(
            output_dir="outputs",
            max_length=self.config["max_seq_length"],
            per_device_train_batch_size=self.config["per_device_train_batch_size"],
            max_steps=self.config["max_steps"],
            learning_rate=self.config["learning_rate"],
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        )
        trainer = SFTTrainer(
            model=self.model,
            args=args,
            train_dataset=self.process_dataset(),
            processing_class=self.tokenizer,
        )
        trainer.train()
        labels = next(iter(trainer.get_train_dataloader()))["labels"]
        asked = str(self.tokenizer("<|im_start|>user")["input_ids"][1:])[1:-1]
        print("questions with a label:", any(asked in str(row) for row in labels.tolist()))


if __name__ == "__main__":
    TrainModel(CONFIG).train()
'''
HALVES = """\
        def render(row):
            return {"prompt": row["messages"][:-1], "completion": row["messages"][-1:]}
"""
WHOLE = """\
        def render(row):
            return {"text": self.tokenizer.apply_chat_template(row["messages"], tokenize=False)}
"""
DISTILL = '''\
"""The first phase: supervised fine-tuning on solved problems, with the default script."""

from datasets import load_dataset
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser


def main(script_args, training_args, model_args):
    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")
    trainer = SFTTrainer(
        model=model_args.model_name_or_path, args=training_args, train_dataset=dataset
    )
    trainer.train()
    tokenizer = trainer.processing_class
    labels = next(iter(trainer.get_train_dataloader()))["labels"][0]
    learnt = tokenizer.decode(labels[labels != -100])
    print("the question has a label:", "user" in learnt)


COMMAND = """
--model_name_or_path model --dataset_name chats.jsonl --output_dir data/Distill
--learning_rate 5e-5 --per_device_train_batch_size 2 --max_length 512 --max_steps 1
--report_to none --save_strategy no --use_cpu true --bf16 false
"""
if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    main(*parser.parse_args_and_config(COMMAND.split()))
'''
LOAD = '    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")\n'
MASK = r"completion_only_loss|assistant_only_loss|(question|prompt|user)s?.*(loss|label|learn)"
REPORTS = (
    Report(
        "huggingface/open-r1#494",
        "grpo-first",
        "ends of a turn with a label: 0",
        r"pad.*eos|eos.*pad|eos.*(label|learn|mask)",
        {"train.py": RECIPE, "chats.jsonl": CHATS},
        changed(RECIPE, ("tokenizer.pad_token = tokenizer.eos_token\n", "")),
    ),
    Report(
        "MervinPraison/PraisonAI#4358",
        "current",
        "questions with a label: True",
        rf"{MASK}|train_on_responses_only",
        {"train.py": CONVERSATIONS, "chats.jsonl": CHATS},
        changed(CONVERSATIONS, (WHOLE, HALVES)),
    ),
    Report(
        "huggingface/open-r1#648",
        "four",
        "the question has a label: True",
        MASK,
        {"train.py": DISTILL, "chats.jsonl": CHATS},
        changed(
            DISTILL,
            (LOAD, f"{LOAD}\n    def halves(row):\n"
             '        chat = row["messages"]\n'
             '        return {"prompt": chat[:-1], "completion": chat[-1:]}\n\n'
             '    dataset = dataset.map(halves, remove_columns=["messages"])\n'),
        ),
    ),
)  # fmt: skip
