"""Threads of a twentieth list: the order of the rows, and rows that are cut."""

from reports.report import Report, changed, rows

LONG = "Read the report of the harbour. " * 6
INSTRUCT = rows(
    {"question": "What is seven times six?", "answer": "Forty-two."},
    {"question": "Count to five.", "answer": "One, two, three, four, five."},
    {"question": "And two weeks?", "answer": "Fourteen days."},
)
VALIDATION = rows(
    {"question": LONG + "When is the tide high?", "answer": "At six."},
    {"question": LONG + "Who reads the letter?", "answer": "The master."},
)
COLLATOR = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
from trl import DataCollatorForCompletionOnlyLM, SFTTrainer

max_seq_length = 64
packing = False


def formatting_func(example):
    output_texts = []
    for question, answer in zip(example["question"], example["answer"]):
        output_texts.append(f"[INST] {question} [/INST] {answer}")
    return output_texts


model = AutoModelForCausalLM.from_pretrained("model")
model.config.use_cache = False
tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.padding_side = "right"

training_arguments = TrainingArguments(
    output_dir="results",
    per_device_train_batch_size=1,
    per_device_eval_batch_size=1,
    gradient_accumulation_steps=1,
    learning_rate=2e-4,
    max_grad_norm=0.3,
    weight_decay=0.001,
    max_steps=2,
    warmup_ratio=0.03,
    group_by_length=True,
    lr_scheduler_type="cosine",
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    train_dataset=load_dataset("json", data_files="train.jsonl", split="train"),
    eval_dataset=load_dataset("json", data_files="validation.jsonl", split="train"),
    max_seq_length=max_seq_length,
    tokenizer=tokenizer,
    args=training_arguments,
    packing=packing,
    data_collator=DataCollatorForCompletionOnlyLM(
        response_template="[/INST]", tokenizer=tokenizer
    ),
    formatting_func=formatting_func,
)
trainer.train()
print("eval loss:", trainer.evaluate()["eval_loss"])
"""
SEQUENCE_PARALLEL = """\
from datasets import load_dataset
from torch.utils.data import RandomSampler, SequentialSampler
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


class SequenceParallelTrainer(SFTTrainer):
    def __init__(self, *args, sequence_parallel_size=1, **kwargs):
        super().__init__(*args, **kwargs)
        self.sequence_parallel_size = sequence_parallel_size
        self.epochs = {}

    def _get_train_sampler(self, train_dataset=None):
        # the processes of a group read the same rows: they are shuffled once, before
        return SequentialSampler(self.train_dataset)

    def training_step(self, model, inputs, num_items_in_batch=None):
        epoch = self.epochs.setdefault(int(self.state.epoch), [])
        epoch += [tuple(ids) for ids in inputs["input_ids"].tolist()]
        return super().training_step(model, inputs, num_items_in_batch)


args = SFTConfig(
    output_dir="sp",
    num_train_epochs=3,
    per_device_train_batch_size=1,
    learning_rate=1e-5,
    lr_scheduler_type="linear",
    warmup_ratio=0.0,
    report_to="none",
    save_strategy="no",
    seed=42,
    use_cpu=True,
    bf16=False,
)
data = load_dataset("json", data_files="small.jsonl", split="train").shuffle(seed=args.seed)
trainer = SequenceParallelTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    args=args,
    train_dataset=data,
    processing_class=AutoTokenizer.from_pretrained("model"),
    sequence_parallel_size=1,
)
trainer.train()
orders = {tuple(order) for order in trainer.epochs.values()}
print(f"{len(trainer.epochs)} epochs, orders of the rows: {len(orders)}")
"""
SMALL = rows(*({"text": f"{number} times {number} is {number * number}."} for number in range(9)))
REPORTS = (
    Report(
        "huggingface/trl#1053",
        "ppo-first",
        "eval loss: nan",
        "max_(seq_)?length|cut|truncat",
        {"train.py": COLLATOR, "train.jsonl": INSTRUCT, "validation.jsonl": VALIDATION},
        changed(COLLATOR, ("max_seq_length = 64\n", "max_seq_length = 512\n")),
        level="",
    ),
    Report(
        "Qihoo360/360-LLaMA-Factory#46",
        "four",
        "3 epochs, orders of the rows: 1",
        "sampler|shuffl|same order",
        {"train.py": SEQUENCE_PARALLEL, "small.jsonl": SMALL},
        changed(
            SEQUENCE_PARALLEL,
            ("return SequentialSampler(self", "return RandomSampler(self"),
        ),
        level="",
    ),
)
