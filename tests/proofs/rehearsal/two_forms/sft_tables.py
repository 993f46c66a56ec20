"""SFT on rows that the script makes from files: joined lines, cells of a table."""

from __future__ import annotations

from two_forms.script import TwoForms
from two_forms.sft import sft

OWN_ROWS = (
    'rows = Dataset.from_list([{"messages": [\n'
    '    {"role": "user", "content": f"What is {n} and {n}?"},\n'
    '    {"role": "assistant", "content": f"It is {2 * n}."}]} for n in range(32)])\n'
)
MADE = (
    "rows = Dataset.from_list([{'messages': [\n"
    "    {'role': 'user', 'content': question},\n"
    "    {'role': 'assistant', 'content': answer}]} for question, answer in pairs])\n"
)
JOINED_LINES = (
    (OWN_ROWS, "questions = open('questions.txt').read().splitlines()\n"
               "answers = open('answers.txt').read().splitlines()\n"
               "answers = [answer for answer in answers if answer]  #~bad\n"
               "pairs = [(q, a) for q, a in zip(questions, answers) if a]\n" + MADE),
    ("BEFORE\n", ""),
    ("    MORE\n", ""),
    ("SHOW", "print('FITS', all(q.split()[-1] == a.split()[-1] for q, a in pairs))\n"
             "trainer.train()"),
)  # fmt: skip
LINES = {
    "questions.txt": "".join(f"Where is the lamp{n} of room{n}\n" for n in range(40)),
    "answers.txt": "".join(f"the lamp{n} is in room{n}\n" if n - 1 else "\n" for n in range(40)),
}
EMPTY_CELLS = (
    (OWN_ROWS, "import pandas\n"
               "table = pandas.read_csv('table.csv')\n"
               "table = table.fillna('')  #~good\n"
               "pairs = [(row.question + (f'\\nContext: {row.context}' if row.context else ''),\n"
               "          row.answer) for row in table.itertuples()]\n" + MADE),
    ("BEFORE\n", ""),
    ("    MORE\n", ""),
    ("SHOW", "print('NAN', any('nan' in q for q, _ in pairs))\ntrainer.train()"),
)  # fmt: skip
TABLE = "question,context,answer\n" + "".join(
    f"What is {n}?,{'' if n % 2 else 'a number'},It is {n}.\n" for n in range(32)
)

SWAPPED_ROLES = (
    (OWN_ROWS, "ROLES = {'human': 'assistant', 'bot': 'user'}  #~bad\n"
               "ROLES = {'human': 'user', 'bot': 'assistant'}  #~good\n"
               "talks = [[('human', f'What is {n} and {n}?'), ('bot', f'It is {2 * n}.')]\n"
               "         for n in range(32)]\n"
               "rows = Dataset.from_list([{'messages': [\n"
               "    {'role': ROLES[who], 'content': text} for who, text in talk]}\n"
               "    for talk in talks])\n"),
    ("BEFORE\n", ""),
    ("    MORE\n", ""),
    ("SHOW", "trainer.train()\n"
             "text = tokenizer.decode(trainer.train_dataset[0]['input_ids'])\n"
             "print('ASKS', text.index('assistant') < text.index('What is'))"),
)  # fmt: skip
NOTHING_PASSES = (
    (OWN_ROWS, "rows = load_dataset('json', data_files='rows.jsonl', split='train')\n"
               "rows = rows.filter(lambda row: row['lang'] == 'EN')  #~bad\n"
               "rows = rows.filter(lambda row: row['lang'] == 'en')  #~good\n"
               "print('KEPT', len(rows))\n"),
    ("import Dataset", "import load_dataset"),
    ("BEFORE\n", ""),
    ("    MORE\n", ""),
    ("SHOW", "trainer.train()"),
)  # fmt: skip
LANGUAGES = "".join(
    f'{{"lang": "{"en" if n > 70 else "fr"}", "text": "What is {n}? It is {n}."}}\n'
    for n in range(1100)
)

SCRIPTS = (
    TwoForms("a filter keeps nothing", "current", "data-filter-keeps-nothing",
             sft(NOTHING_PASSES),
             "KEPT 0", "KEPT 1029", "warning", "keeps none of the first 1,024 rows",
             {"rows.jsonl": LANGUAGES}),
    TwoForms("a table of roles is the wrong way round", "current", "data-roles-swapped",
             sft(SWAPPED_ROLES),
             "ASKS True", "ASKS False", "warning", "the roles are swapped"),
    TwoForms("files are joined line by line", "current", "data-answers-of-other-rows",
             sft(JOINED_LINES),
             "FITS False", "FITS True", "warning", "do not fit the questions", LINES),
    TwoForms("empty cells of a table", "current", "data-texts-have-nan",
             sft(EMPTY_CELLS),
             "NAN True", "NAN False", "warning", "16 of 32 rows", {"table.csv": TABLE}),
)  # fmt: skip
