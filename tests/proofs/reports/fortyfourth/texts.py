"""Threads of a forty-fourth list: what becomes of a row's text."""

from reports.report import COMPLETIONS, PAIRS, Report, changed, rows

SURVIVAL = '''\
"""SFT of a chat model on what to do in the wild, as a job."""

from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

MODEL_ID = "model"
dataset = load_dataset("json", data_files="survival.jsonl", split="train")
model = AutoModelForCausalLM.from_pretrained(MODEL_ID)
tokenizer = AutoTokenizer.from_pretrained(MODEL_ID)

# LoRA
peft_config = LoraConfig(
    r=16,
    lora_alpha=32,
    lora_dropout=0.05,
    target_modules=["q_proj", "v_proj"],
    task_type="CAUSAL_LM",
)
training_args = SFTConfig(
    output_dir="survival-lora",
    num_train_epochs=1,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    learning_rate=2e-4,
    logging_steps=1,
    packing=False,
    max_length=128,
    dataset_text_field="text",
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)


def formatting_prompts_func(example):
    output_texts = []
    instructions = example["instruction"]
    responses = example["response"]
    for i in range(len(instructions)):
        if i >= len(responses):
            break
        instruction = instructions[i]
        response = responses[i]
        if not instruction or not response:
            continue
        text = (
            f"<|im_start|>user\\n{instruction}<|im_end|>\\n"
            f"<|im_start|>assistant\\n{response}<|im_end|>"
        )
        output_texts.append(text)
    return output_texts


# Trainer
trainer = SFTTrainer(
    model=model,
    train_dataset=dataset,
    peft_config=peft_config,
    formatting_func=formatting_prompts_func,
    args=training_args,
    processing_class=tokenizer,
)
trainer.train()
'''
BATCHES = SURVIVAL[SURVIVAL.index("def formatting_") : SURVIVAL.index("# Trainer")]
MAPPED = """\
def to_text(example):
    return {
        "text": f"<|im_start|>user\\n{example['instruction']}<|im_end|>\\n"
        f"<|im_start|>assistant\\n{example['response']}<|im_end|>"
    }


dataset = dataset.map(to_text, remove_columns=dataset.column_names)


"""
INSTRUCTIONS = rows(*({"instruction": asked, "response": said} for asked, said in PAIRS))
YODA = '''\
"""Chapter 0: a model learns to speak otherwise."""

from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

repo_id = "model"
model = AutoModelForCausalLM.from_pretrained(repo_id)
config = LoraConfig(
    r=8,
    lora_alpha=16,
    bias="none",
    lora_dropout=0.05,
    task_type="CAUSAL_LM",
    target_modules=["q_proj", "v_proj"],
)
model = get_peft_model(model, config)

dataset = load_dataset("json", data_files="yoda_sentences.jsonl", split="train")
dataset = dataset.rename_column("sentence", "prompt")
dataset = dataset.rename_column("translation_extra", "completion")
dataset = dataset.remove_columns(["translation"])

tokenizer = AutoTokenizer.from_pretrained(repo_id)
sft_config = SFTConfig(
    output_dir="phi3-mini-yoda-adapter",
    max_length=64,
    packing=False,
    num_train_epochs=1,
    per_device_train_batch_size=2,
    learning_rate=3e-4,
    logging_steps=1,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    args=sft_config,
    train_dataset=dataset,
)
trainer.train()

asked = [{"role": "user", "content": "The sea is calm."}]
prompt = tokenizer.apply_chat_template(asked, tokenize=False, add_generation_prompt=True)
print("asked later:", repr(prompt))
trained = tokenizer.decode(trainer.train_dataset[0]["input_ids"])
print("trained on turns:", "<|im_start|>assistant" in trained)
'''
SENTENCES = rows(
    *(
        {"sentence": asked, "translation": said, "translation_extra": f"{said} Hmm."}
        for asked, said in PAIRS
    )
)
TURNS = """\


def to_conversation(row):
    return {
        "prompt": [{"role": "user", "content": row["prompt"]}],
        "completion": [{"role": "assistant", "content": row["completion"]}],
    }


dataset = dataset.map(to_conversation)

tokenizer = AutoTokenizer"""
MASKED = '''\
"""SFT on the answers alone, with the collator that finds where an answer begins."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DataCollatorForCompletionOnlyLM, SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForCausalLM.from_pretrained("model")


def to_text(row):
    asked, said = row["prompt"], row["completion"]
    return {"text": f"### Question: {asked}\\n### Answer:{said}{tokenizer.eos_token}"}


dataset = load_dataset("json", data_files="questions.jsonl", split="train")
dataset = dataset.map(to_text, remove_columns=dataset.column_names)
response = tokenizer.encode("\\n### Answer:", add_special_tokens=False)
collator = DataCollatorForCompletionOnlyLM(response, tokenizer=tokenizer)
trainer = SFTTrainer(
    model=model,
    args=SFTConfig(
        output_dir="answers",
        dataset_text_field="text",
        max_seq_length=128,
        per_device_train_batch_size=2,
        learning_rate=2e-5,
        max_steps=2,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
    ),
    train_dataset=dataset,
    data_collator=collator,
    processing_class=tokenizer,
)
trainer.train()
batch = next(iter(trainer.get_train_dataloader()))
print("an answer begins to count:", bool((batch["labels"] != -100).any()))
print("the end of an answer is trained:", bool((batch["labels"] == tokenizer.eos_token_id).any()))
'''
REPORTS = (
    Report(
        "huggingface.co/sunkencity/training-scripts/commit/8257d75d",
        "current",
        "'list' object has no attribute 'endswith'",
        r"formatting(_prompts)?_func|formatting function",
        {"train.py": SURVIVAL, "survival.jsonl": INSTRUCTIONS},
        changed(
            SURVIVAL, (BATCHES, MAPPED), ("    formatting_func=formatting_prompts_func,\n", "")
        ),
    ),
    Report(
        "dvgodoy/FineTuningLLMs#5",
        "current",
        "trained on turns: False",
        r"\btemplate\b",
        {"train.py": YODA, "yoda_sentences.jsonl": SENTENCES},
        changed(YODA, ("\ntokenizer = AutoTokenizer", TURNS)),
    ),
    Report(
        "huggingface/trl#1414",
        "ppo-first",
        "the end of an answer is trained: False",
        r"\bpad(ding)?[ _]token|\bend[ _-](of[ _-](text|sequence|turn) )?token|\beos",
        {"train.py": MASKED, "questions.jsonl": COMPLETIONS},
        changed(MASKED, ("tokenizer.pad_token = tokenizer.eos_token\n", "")),
    ),
)
