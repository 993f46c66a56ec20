"""Threads of a fifteenth list: SFT, new tokens and an argument that is gone.

The modules fifteenth* have threads by what their users saw; rules were not looked at. There are two
sources. The first: titles of TRL's commits from October 2024 to July 2026 that say fix, raise,
crash, wrong, silent, ignored and the like, without documents, tests, examples, several GPUs and
vLLM: 304, of which 259 have a number that was nowhere here. They were shuffled by
random.Random("pipit") and all titles read; some 60 were looked up for the release that has the fix.
Taken are those whose cause can be in a user's script and that run in an environment here; more may
be in the list. Their numbers are those of the pull requests. The second: 31 searches of issues and
three of pages, most of them a trainer or an argument with a symptom ("silently", "fix",
group_by_length, LoRA with new tokens, DPO with images). They gave trl#2414, #2563, #6411, SimPO#8,
autocontext#1070, MedicalGPT#480 and cd13303-genai-c1-classroom#11. Of trl#2414, which warns of it,
the run was made up; of autocontext#1070 one of its two causes is rebuilt, the prompts. Two more
were taken off after the doctor was asked: trl#3771 fixes what #3768 reports, which is here, and
#1288 has the failure of #1267.

Left out: no remedy without another release: trl#2502, #2867; no environment has the release:
#2575, #2647, #3454, #3715, #3992, #4105, #4112, #4639, #4682, #5178; the environment has another
fault: #2708; a figure of the log or the memory alone: #2982, #3145, #5079, #5305; the same
kind and trainer as one here: #2615, #5023, #5354, alignment-handbook#171, course#1167, #1170,
CoursIA#10328; half precision after a long run: #4763; known here by another number: trl#5087,
#5338, #6700, open-r1#454, trian_ppo#1, Qwen3-FineTuning-Playground#4; not TRL:
Transformers-Tutorials#511; no known cause: transformers#48016.
"""

from dataclasses import replace

from reports.fifteenth import images, online, pairs, preferences
from reports.report import CHATS, TEXT, Report, changed

STARTER = """\
import torch
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

device = "cuda" if torch.cuda.is_available() else "cpu"
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model").to(device)
lora_config = LoraConfig(
    r=16,
    lora_alpha=32,
    lora_dropout=0.05,
    target_modules=["q_proj", "v_proj"],
    task_type="CAUSAL_LM",
)
model = get_peft_model(model, lora_config)
data = load_dataset("json", data_files="texts.jsonl", split="train").train_test_split(
    test_size=0.25, seed=42
)
training_args = SFTConfig(
    output_dir="spelling",
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    gradient_accumulation_steps=1,
    max_steps=2,
    learning_rate=5e-4,
    logging_steps=1,
    evaluation_strategy="steps",
    eval_steps=1,
    save_strategy="no",
    report_to=[],
    fp16=False,
    bf16=False,
    use_cpu=True,
    lr_scheduler_type="cosine",
)
trainer = SFTTrainer(
    model=model,
    train_dataset=data["train"],
    eval_dataset=data["test"],
    args=training_args,
    processing_class=tokenizer,
)
trainer.train()
"""
NEW_TOKENS = """\
import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

TURNS = ["<|user|>", "<|assistant|>", "<|end|>"]
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")

# a base model learns to chat: its turns are new tokens
tokenizer.add_tokens(TURNS, special_tokens=True)
tokenizer.eos_token = "<|end|>"
tokenizer.chat_template = (
    "{% for m in messages %}{{ '<|' + m.role + '|>' + m.content + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
model.resize_token_embeddings(len(tokenizer))
new = tokenizer.convert_tokens_to_ids(TURNS)
before = model.get_input_embeddings().weight[new].detach().clone()

trainer = SFTTrainer(
    model=model,
    args=SFTConfig(
        output_dir="base-to-chat-lora",
        per_device_train_batch_size=2,
        max_steps=4,
        learning_rate=2e-3,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
    processing_class=tokenizer,
    peft_config=LoraConfig(
        r=16,
        lora_alpha=32,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    ),
)
trainer.train()
after = trainer.model.get_input_embeddings().weight[new].detach()
print("the new tokens are learnt:", not torch.equal(before, after))
"""
THREADS = (
    Report(
        "udacity/cd13303-genai-c1-classroom#11",
        "current",
        "unexpected keyword argument 'evaluation_strategy'",
        "eval_strategy",
        {"train.py": STARTER, "texts.jsonl": TEXT},
        changed(STARTER, ("evaluation_strategy=", "eval_strategy=")),
    ),
    Report(
        "huggingface/trl#2414",
        "current",
        "the new tokens are learnt: False",
        "modules_to_save|trainable_token_indices|(new|added).{0,20}token.{0,80}(train|learn)",
        {"train.py": NEW_TOKENS, "chats.jsonl": CHATS},
        changed(
            NEW_TOKENS,
            (
                '        task_type="CAUSAL_LM",\n',
                '        task_type="CAUSAL_LM",\n'
                '        modules_to_save=["embed_tokens", "lm_head"],\n',
            ),
        ),
    ),
)
REPORTS = tuple(
    replace(report, group="fifteenth")
    for report in (*THREADS, *images.REPORTS, *online.REPORTS, *pairs.REPORTS, *preferences.REPORTS)
)
