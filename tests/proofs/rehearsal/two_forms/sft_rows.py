"""Rows that a script makes for SFT, in a wrong and in a healthy form."""

from __future__ import annotations

from two_forms.script import TwoForms
from two_forms.sft import sft

TEXTS_WITHOUT_END = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
rows = Dataset.from_dict({"question": ["What is six?"] * 16, "answer": ["Three twice."] * 16})


def to_text(row):
    text = f"### Question: {row['question']}\\n### Answer: {row['answer']}"
    return {"text": text}  #~bad
    return {"text": text + tokenizer.eos_token}  #~good


trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    processing_class=tokenizer,
    train_dataset=rows.map(to_text, remove_columns=rows.column_names),
    args=SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                   dataset_text_field="text", max_seq_length=128, report_to="none"),
)
print("ENDS", trainer.train_dataset[0]["input_ids"][-1] == tokenizer.eos_token_id)
trainer.train()
"""
END_IS_PAD = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
tokenizer.pad_token = tokenizer.eos_token  #~bad


def encode(row):
    turns = [{"role": "user", "content": row["q"]}, {"role": "assistant", "content": row["a"]}]
    return tokenizer(tokenizer.apply_chat_template(turns, tokenize=False))


rows = Dataset.from_list([{"q": f"Twice {n}?", "a": f"{2 * n}."} for n in range(32)])
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("models/healthy"),
    processing_class=tokenizer,
    train_dataset=rows.map(encode, remove_columns=["q", "a"]),
    data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    args=SFTConfig(output_dir="out", max_steps=2, per_device_train_batch_size=2, use_cpu=True,
                   dataset_kwargs={"skip_prepare_dataset": True}, report_to="none", bf16=False),
)
labels = trainer.data_collator([trainer.train_dataset[0]])["labels"][0].tolist()
print("END LEARNED", tokenizer.eos_token_id in labels)
trainer.train()
"""
EVALUATION_ROWS_LEARNED = (
    ("BEFORE", "tests = rows.select(range(8))\nrows = rows.select(range(8, 32))  #~good"),
    ("MORE", "eval_dataset=tests,"),
    ("SHOW", "known = [row['input_ids'] for row in trainer.train_dataset]\n"
             "print('IN BOTH', sum(row['input_ids'] in known for row in trainer.eval_dataset))\n"
             "trainer.train()"),
)  # fmt: skip
TEXTS_BESIDE_MESSAGES = (
    ("BEFORE", "def to_text(row):\n"
               "    asked, said = (turn['content'] for turn in row['messages'])\n"
               "    return {'text': f'[INST] {asked} [/INST] {said}'}\n\n\n"
               "rows = rows.map(to_text)  #~bad\n"
               "rows = rows.map(to_text, remove_columns=['messages'])  #~good"),
    ("MORE", ""),
    ("SHOW", "print('BEGINS', tokenizer.decode(trainer.train_dataset[0]['input_ids'])[:6])\n"
             "trainer.train()"),
)  # fmt: skip
MESSAGES_AS_TEXT = (
    ("BEFORE", "rows = rows.map(lambda row: {'text': str(row['messages'])}, "
               "remove_columns=['messages'])\n"
               "rows = rows.map(lambda row: {'messages': ast.literal_eval(row['text'])}, "
               "remove_columns=['text'])  #~good"),
    ("MORE", ""),
    ("SHOW", "print('BEGINS', tokenizer.decode(trainer.train_dataset[0]['input_ids'])[:6])\n"
             "trainer.train()"),
)  # fmt: skip
RESULT_THROWN_AWAY = (
    ("BEFORE", "rows.filter(lambda row: '1' in row['messages'][0]['content'])  #~bad\n"
               "rows = rows.filter(lambda row: '1' in row['messages'][0]['content'])  #~good"),
    ("MORE", ""),
    ("SHOW", "print('ROWS', len(trainer.train_dataset))\ntrainer.train()"),
)  # fmt: skip
ANSWER_IN_PROMPT = (
    ("BEFORE", "def split(row):\n"
               "    talk = row['messages']\n"
               "    return {'prompt': talk, 'completion': talk[-1:]}  #~bad\n"
               "    return {'prompt': talk[:-1], 'completion': talk[-1:]}  #~good\n\n\n"
               "rows = rows.map(split, remove_columns=['messages'])"),
    ("MORE", ""),
    ("SHOW", "text = tokenizer.decode(trainer.train_dataset[3]['input_ids'])\n"
             "print('TIMES', text.count('It is 6.'))\n"
             "trainer.train()"),
)  # fmt: skip
LABELS_REPLACED = (
    ("BEFORE", "from transformers import DataCollatorForSeq2Seq\n\n\n"
               "def tokenize(row):\n"
               "    talk, end = row['messages'], tokenizer.eos_token\n"
               "    asked = tokenizer(talk[0]['content'])['input_ids']\n"
               "    said = tokenizer(talk[1]['content'] + end)['input_ids']\n"
               "    fill = 64 - len(asked + said)\n"
               "    return {'input_ids': asked + said + [tokenizer.pad_token_id] * fill,\n"
               "            'attention_mask': [1] * len(asked + said) + [0] * fill,\n"
               "            'labels': [-100] * len(asked) + said + [-100] * fill}\n\n\n"
               "rows = rows.map(tokenize, remove_columns=['messages'])"),
    ("MORE", "data_collator=DataCollatorForSeq2Seq(tokenizer),  #~good"),
    ("SHOW", "batch = trainer.data_collator([{name: trainer.train_dataset[0][name] for name in\n"
             "    ('input_ids', 'attention_mask', 'labels')}])\n"
             "learned = [id for id in batch['labels'][0].tolist() if id != -100]\n"
             "print('LEARNED', tokenizer.decode(learned)[:5])\n"
             "trainer.train()"),
)  # fmt: skip
ROWS_GROW = (
    ("BEFORE", "BASE = [{'role': 'system', 'content': 'You count.'}]\n"
               "def talk(row):\n"
               "    turns = BASE  #~bad\n"
               "    turns = list(BASE)  #~good\n"
               "    turns.extend(row['messages'])\n"
               "    return {'messages': list(turns)}\n"
               "rows = Dataset.from_list([talk(row) for row in rows.select(range(8))])"),
    ("MORE", ""),
    ("SHOW", "print('TURNS', [len(row['messages']) for row in rows][:3])\ntrainer.train()"),
)  # fmt: skip
FIRST_OF_BATCH = (
    ("BEFORE", "def talks(batch):\n"
               "    first = batch['messages'][0][0]\n"
               "    return {'messages': [[\n"
               "        first,  #~bad\n"
               "        turns[0],  #~good\n"
               "        turns[1]] for turns in batch['messages']]}\n"
               "rows = Dataset.from_dict({'raw': [row['messages'] for row in rows]}).map(\n"
               "    lambda batch: talks({'messages': batch['raw']}), batched=True,\n"
               "    remove_columns='raw')"),
    ("MORE", ""),
    ("SHOW", "print('QUESTIONS', len({row[0]['content'] for row in rows['messages']}))\n"
             "trainer.train()"),
)  # fmt: skip

SCRIPTS = (
    TwoForms("texts without an end", "ppo-first", "step-labels-lack-eos",
             TEXTS_WITHOUT_END,
             "ENDS False", "ENDS True", "warning"),
    TwoForms("the end of texts is the pad", "current", "step-labels-lack-eos",
             END_IS_PAD,
             "END LEARNED False", "END LEARNED True",
             says="the collator leaves out the pad token, and the pad is the eos"),
    TwoForms("rows to evaluate on are learned", "four", "evaluation-of-training-rows",
             sft(EVALUATION_ROWS_LEARNED),
             "IN BOTH 8", "IN BOTH 0", "warning", "8 of 8 rows of the evaluation data"),
    TwoForms("texts beside messages", "four", "data-text-unused-beside-messages",
             sft(TEXTS_BESIDE_MESSAGES),
             "BEGINS <|im_s", "BEGINS [INST]", "warning"),
    TwoForms("messages as text", "four", "data-messages-are-text",
             sft(MESSAGES_AS_TEXT),
             "BEGINS [{'rol", "BEGINS <|im_s", "warning"),
    TwoForms("a result is thrown away", "four", "data-result-thrown-away",
             sft(RESULT_THROWN_AWAY),
             "ROWS 32", "ROWS 13", "warning"),
    TwoForms("the answer is in the prompt", "four", "data-prompt-has-answer",
             sft(ANSWER_IN_PROMPT),
             "TIMES 2", "TIMES 1", "warning"),
    TwoForms("own labels are replaced", "grpo-first", "step-labels-overwritten",
             sft(LABELS_REPLACED),
             "LEARNED What", "LEARNED It is"),
    TwoForms("rows that grow", "four", "data-rows-accumulate",
             sft(ROWS_GROW),
             "TURNS [3, 5, 7]", "TURNS [3, 3, 3]",
             "warning", "begins with the whole row before it"),
    TwoForms("rows of the first of a batch", "four", "data-row-depends-on-batch",
             sft(FIRST_OF_BATCH),
             "QUESTIONS 1", "QUESTIONS 32",
             "warning", "gives messages another value if it gets the row alone"),
)  # fmt: skip
