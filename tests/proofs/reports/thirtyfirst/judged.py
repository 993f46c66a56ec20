"""Threads of a thirty-first list: how a model is judged, and a model that judges."""

from reports.report import ANSWERED, ASKED, Report, changed, rows

DOCUMENTS = "chunk,document,extraction\n" + "".join(
    f'{number},paper-{number // 3},"{{""title"": ""{asked}""}}"\n'
    for number, asked in enumerate(ASKED * 3)
)
LEAK = """\
import pandas as pd
from datasets import Dataset
from transformers import set_seed
from trl import SFTConfig, SFTTrainer

NUM_TEST_SAMPLES = 4
TEST_START = 4
PROMPT = "Extract the title as JSON from chunk {chunk} of {document}."


def to_dataset(df):
    return Dataset.from_list(
        [
            {
                "prompt": PROMPT.format(chunk=row.chunk, document=row.document),
                "completion": " " + row.extraction,
            }
            for row in df.itertuples()
        ]
    )


def load_training_data():
    df = pd.read_csv("extraction_training_data.csv")
    return to_dataset(df)


def load_test_data():
    df = pd.read_csv("extraction_training_data.csv")
    df = df[TEST_START : TEST_START + NUM_TEST_SAMPLES]
    return to_dataset(df)


set_seed(42)
train_data, test_data = load_training_data(), load_test_data()
trainer = SFTTrainer(
    model="model",
    train_dataset=train_data,
    eval_dataset=test_data,
    args=SFTConfig(
        output_dir="extractor",
        num_train_epochs=1,
        per_device_train_batch_size=4,
        per_device_eval_batch_size=4,
        learning_rate=1e-3,
        eval_strategy="epoch",
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
known = set(train_data["prompt"])
seen = sum(prompt in known for prompt in test_data["prompt"])
print(f"{seen} of {len(test_data)} rows of the test were trained on")
"""
PREFERRED = rows(
    *(
        {"prompt": asked, "prefered_response": said, "unprefered_response": "No."}
        for asked, said in zip(ASKED, ANSWERED, strict=True)
    )
)
WORDS = """\
# RLHF, part 2: the reward model
# --- cell 1
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import RewardConfig, RewardTrainer

MODEL_PATH = "model"

# --- cell 2
tokenizer = AutoTokenizer.from_pretrained(MODEL_PATH)
model = AutoModelForCausalLM.from_pretrained(MODEL_PATH)

# --- cell 3
df = load_dataset("json", data_files="feedback.jsonl", split="train")


def formatting(example):
    return {
        "chosen": example["prompt"] + "\\n" + example["prefered_response"],
        "rejected": example["prompt"] + "\\n" + example["unprefered_response"],
    }


train = df.map(formatting, remove_columns=df.column_names)

# --- cell 4
trainer = RewardTrainer(
    model=model,
    args=RewardConfig(
        output_dir="rm_model",
        num_train_epochs=1,
        per_device_train_batch_size=2,
        learning_rate=1e-5,
        max_length=128,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=train,
    processing_class=tokenizer,
)
trainer.train()
trainer.save_model("rm_model")


# --- cell 5
def get_score(model, tokenizer, prompt, response):
    inputs = tokenizer(prompt + "\\n" + response, return_tensors="pt")
    return model(**inputs).logits


score = get_score(trainer.model, tokenizer, df[0]["prompt"], df[0]["prefered_response"])
print(f"one answer is given {score.numel()} numbers")
"""
REPORTS = (
    Report(
        "herniqeu/extract0#1",
        "current",
        "4 of 4 rows of the test were trained on",
        r"leak|overlap|contaminat|held.?out|\bin both\b"
        r"|(eval\w*|test) (row|set|data)\w*.{0,80}(also|are|is|in) .{0,40}train"
        r"|train\w* (row|set|data)\w*.{0,80}(also|same|too)\b.{0,40}(eval|test)",
        {"train.py": LEAK, "extraction_training_data.csv": DOCUMENTS},
        changed(
            LEAK,
            (
                "    return to_dataset(df)\n\n\ndef load_test",
                "    test = range(TEST_START, TEST_START + NUM_TEST_SAMPLES)\n"
                "    return to_dataset(df.drop(index=test))\n\n\ndef load_test",
            ),
        ),
    ),
    Report(
        "ashishjamarkattel/reinforment-learning-with-human-feedback#5",
        "four",
        r"one answer is given \d{3,} numbers",
        r"SequenceClassification|CausalLM|num_labels|\bhead\b|scalar"
        r"|(one|single) (score|number|value)|score of each (token|word)",
        {"train.py": WORDS, "feedback.jsonl": PREFERRED},
        changed(
            WORDS,
            (
                "import AutoModelForCausalLM, AutoTokenizer",
                "import AutoModelForSequenceClassification, AutoTokenizer",
            ),
            (
                "AutoModelForCausalLM.from_pretrained(MODEL_PATH)",
                "AutoModelForSequenceClassification.from_pretrained(MODEL_PATH, num_labels=1)",
            ),
        ),
    ),
)
