"""Threads of even number as fixed searches found them: what SFT and GKD make of texts."""

from reports.report import CHATS, COMPLETIONS, TEXT, Report, changed

OWN_COLLATOR = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
dataset = load_dataset("json", data_files="rows.jsonl", split="train")


def collate_fn(examples):
    # Get the texts and apply the chat template
    texts = [
        tokenizer.apply_chat_template(example["messages"], tokenize=False) for example in examples
    ]
    batch = tokenizer(texts, return_tensors="pt", padding=True)
    # The labels are the input_ids, and we mask the padding tokens in the loss computation
    labels = batch["input_ids"].clone()
    labels[labels == tokenizer.pad_token_id] = -100
    batch["labels"] = labels
    return batch


training_args = SFTConfig(
    output_dir="sft-messages",
    per_device_train_batch_size=2,
    max_steps=1,
    learning_rate=1e-5,
    remove_unused_columns=False,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model,
    train_dataset=dataset,
    args=training_args,
    data_collator=collate_fn,
    processing_class=tokenizer,
)
trainer.train()
"""
PACKED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.chat_template = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}"
    "{% if message['role'] == 'assistant' %}"
    "{% generation %}{{ message['content'] + '<|im_end|>' }}{% endgeneration %}"
    "{% else %}{{ message['content'] + '<|im_end|>' }}{% endif %}{{ '\\n' }}{% endfor %}"
)
model = AutoModelForCausalLM.from_pretrained("model")
train_dataset = load_dataset("json", data_files="rows.jsonl", split="train")

training_args = SFTConfig(
    output_dir="sft-packed",
    max_length=64,
    packing=True,
    assistant_only_loss=True,
    per_device_train_batch_size=1,
    max_steps=1,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    bf16=False,
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model, args=training_args, train_dataset=train_dataset, processing_class=tokenizer
)
labels = next(iter(trainer.get_train_dataloader()))["labels"]
print("tokens outside of the loss:", (labels == -100).sum().item())
trainer.train()
"""
YODA = """\
# In[1]
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

# In[2]
dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.rename_column("sentence", "prompt")
dataset = dataset.rename_column("translation_extra", "completion")

# In[3]
repo_id = "model"
model = AutoModelForCausalLM.from_pretrained(repo_id)
tokenizer = AutoTokenizer.from_pretrained(repo_id)

# In[4]
sft_config = SFTConfig(
    gradient_checkpointing=True,
    gradient_checkpointing_kwargs={"use_reentrant": False},
    gradient_accumulation_steps=1,
    per_device_train_batch_size=2,
    max_seq_length=64,
    packing=False,
    num_train_epochs=1,
    max_steps=1,
    learning_rate=3e-4,
    logging_steps=1,
    output_dir="./phi3-mini-yoda-adapter",
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = SFTTrainer(
    model=model, processing_class=tokenizer, args=sft_config, train_dataset=dataset
)

# In[5]
text = tokenizer.decode(trainer.train_dataset[0]["input_ids"])
print("the text has turns:", "<|im_start|>assistant" in text)
trainer.train()
"""
TO_TURNS = """\
dataset = dataset.map(
    lambda row: {
        "prompt": [{"role": "user", "content": row["prompt"]}],
        "completion": [{"role": "assistant", "content": row["completion"]}],
    }
)

# In[3]
"""
SENTENCES = COMPLETIONS.replace('"prompt"', '"sentence"').replace(
    '"completion"', '"translation_extra"'
)
PARSER = """\
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import ModelConfig, SFTConfig, SFTTrainer
from trl.commands.cli_utils import TrlParser


@dataclass
class Arguments:
    data: str = field(default="rows.jsonl")


parser = TrlParser((Arguments, SFTConfig, ModelConfig))
script_args, training_args, model_config = parser.parse_args_into_dataclasses(
    ["--output_dir", "out", "--model_name_or_path", "model", "--max_steps", "1",
     "--report_to", "none", "--save_strategy", "no", "--use_cpu", "True"]
)
tokenizer = AutoTokenizer.from_pretrained(model_config.model_name_or_path)
model = AutoModelForCausalLM.from_pretrained(model_config.model_name_or_path)
dataset = load_dataset("json", data_files=script_args.data, split="train")
trainer = SFTTrainer(
    model=model, args=training_args, train_dataset=dataset, processing_class=tokenizer
)
trainer.train()
"""
DISTILLED = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
teacher_model = AutoModelForCausalLM.from_pretrained("model")
teacher_model.init_weights()
train_dataset = load_dataset("json", data_files="rows.jsonl", split="train")

training_args = GKDConfig(
    output_dir="gkd-model",
    per_device_train_batch_size=1,
    max_steps=1,
    max_new_tokens=8,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = GKDTrainer(
    model=model,
    teacher_model=teacher_model,
    args=training_args,
    processing_class=tokenizer,
    train_dataset=train_dataset,
)
trainer.train()
"""

NO_TEMPLATE = {"tokenizer_config.json": {"chat_template": None}}
REPORTS = (
    Report(
        "huggingface/trl#3268",
        "grpo-first",
        "KeyError: 'messages'",
        "skip_prepare_dataset|collat",
        {"train.py": OWN_COLLATOR, "rows.jsonl": CHATS},
        changed(
            OWN_COLLATOR,
            (
                "    remove_unused_columns=False,\n",
                "    remove_unused_columns=False,\n"
                '    dataset_kwargs={"skip_prepare_dataset": True},\n',
            ),
        ),
        level="",
    ),
    Report(
        "huggingface/trl#3728",
        "grpo-shapes",
        "tokens outside of the loss: 0",
        "packing.*assistant_only_loss|assistant_only_loss.*packing",
        {"train.py": PACKED, "rows.jsonl": CHATS},
        changed(PACKED, ("    packing=True,\n", "")),
        level="",
    ),
    Report(
        "huggingface/trl#3140",
        "grpo-first",
        "the text has turns: False",
        "chat.template",
        {"train.py": YODA, "rows.jsonl": SENTENCES},
        changed(YODA, ("\n# In[3]\n", TO_TURNS)),
        level="",
    ),
    Report(
        "huggingface/trl#1440",
        "grpo-first",
        "No module named 'trl.commands'",
        "trl.commands",
        {"train.py": PARSER, "rows.jsonl": TEXT},
        changed(PARSER, ("from trl.commands.cli_utils", "from trl.scripts.utils")),
    ),
    Report(
        "huggingface/trl#2586",
        "grpo-first",
        "chat_template is not set",
        "chat.template",
        {"train.py": DISTILLED, "rows.jsonl": CHATS},
        {},
        model=NO_TEMPLATE,
    ),
)
