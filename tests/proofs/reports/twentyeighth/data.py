"""Rows of a twenty-eighth list: the questions of the last one, in other forms."""

import json

from laid import ROOT

from reports.report import rows, turn
from reports.twentyseventh.data import PAIRS

MORE = ("Are you sure?", "Yes, I am.")
TAGGED = rows(*({"prompt": a, "completion": "<answer>\nyes\n</answer>"} for a, _ in PAIRS))
MARGINS = rows(
    *(
        {"prompt": a, "chosen": f" {b}", "rejected": " No.", "margin": 0.25 * n}
        for n, (a, b) in enumerate(PAIRS)
    )
)
HELPFUL = rows(
    *(
        {
            "prompt": a,
            "chosen": [turn("user", a), turn("assistant", b)],
            "rejected": [turn("user", a), turn("assistant", "I do not know.")],
        }
        for a, b in PAIRS
    )
)
INSTRUCTIONS = rows(*({"instruction": a, "output": b} for a, b in PAIRS))
SHARED = rows(
    *(
        {"conversations": [{"from": "user", "value": a}, {"from": "assistant", "value": b}]}
        for a, b in PAIRS
    )
)
TALKS = rows(
    *(
        {
            "text": f"USER: {a}\nASSISTANT: {b}\nUSER: {MORE[0]}\nASSISTANT: {MORE[1]}\n",
        }
        for a, b in PAIRS
    )
)
CALL = {"type": "function", "function": {"name": "look_up", "arguments": "{}"}}
AGENTS = rows(
    *(
        {
            "messages": [
                {**turn("user", a), "tool_calls": None},
                {**turn("assistant", "Let me see."), "tool_calls": [CALL]},
                {**turn("tool", b), "tool_calls": None},
                {**turn("assistant", b), "tool_calls": None},
            ]
        }
        for a, b in PAIRS
    )
)


def no_padding() -> dict[str, str]:
    """The files of a model and a tokenizer that know no token for padding."""
    folder = ROOT / "fixtures/models/healthy"
    files = {}
    for name, key in (("config.json", "pad_token_id"), ("tokenizer_config.json", "pad_token")):
        keys = json.loads((folder / name).read_text())
        keys.pop(key, None)
        files[f"model/{name}"] = json.dumps(keys)
    return files
