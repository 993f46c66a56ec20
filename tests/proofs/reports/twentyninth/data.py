"""Rows and templates of a twenty-ninth list."""

import json

from reports.report import ASKED, PAIRS, rows, turn

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
# A chat template that knows tools, calls of tools and what they gave back.
TOOLS = """\
{%- if tools %}{{ '<|im_start|>system\\n# Tools\\n' }}
{%- for tool in tools %}{{ tool | tojson }}{{ '\\n' }}{% endfor %}{{ '<|im_end|>\\n' }}{% endif %}
{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}
{%- if message.content %}{{ message.content }}{% endif %}
{%- if message.tool_calls %}{% for call in message.tool_calls %}
{{- '<tool_call>' }}{{ call.function | tojson }}{{ '</tool_call>' }}{% endfor %}{% endif %}
{{- '<|im_end|>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
"""
CITIES = ("Oslo", "Lima", "Bern", "Kyiv")


def called(city: str) -> dict[str, object]:
    """A message that calls the tool."""
    function = {"name": "get_weather", "arguments": {"city": city}}
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"type": "function", "function": function}],
    }


ROLLOUTS = rows(
    *(
        {
            "messages": [
                turn("user", f"How is the weather in {city}?"),
                called(city),
                turn("tool", "sunny"),
                turn("assistant", f"It is sunny in {city}."),
            ],
            "tool_defs": [WEATHER],
        }
        for city in CITIES
    )
)
PREFERRED = json.dumps(
    [
        {
            "messages": [
                turn("user", f"How is the weather in {city}?"),
                called(city),
                turn("tool", "sunny"),
            ],
            "tools": [WEATHER],
            "chosen": turn("assistant", f"It is sunny in {city}."),
            "rejected": turn("assistant", "I can not know that."),
        }
        for city in CITIES
    ]
)
TASKS = (
    ("Correct the grammar of what the user writes.", "She go home.", "She goes home."),
    ("Answer with one word.", "What is the capital of Peru?", "Lima."),
    ("Translate into German.", "The sea is calm.", "Das Meer ist ruhig."),
)
MULTI = rows(
    *(
        {"messages": [turn("system", system), turn("user", asked), turn("assistant", answer)]}
        for system, asked, answer in TASKS
    ),
    {"messages": [turn("user", ASKED[0]), turn("assistant", "Forty-two.")]},
)
LONG = "Once there was a ship that sailed from island to island and counted the birds. " * 2
LEFT = rows(
    *({"prompt": a, "response": f" {b}"} for a, b in PAIRS[:3]),
    {"prompt": f"{LONG}{ASKED[3]}", "response": " Fourteen days, as a week has seven of them."},
)
COMPARED = rows(
    {"prompt": ASKED[0], "chosen": "Forty-two.", "rejected": "No."},
    *({"prompt": f"{LONG}{a}", "chosen": b, "rejected": "No."} for a, b in PAIRS),
    {"prompt": ASKED[3], "chosen": "Fourteen days.", "rejected": "No."},
)
MATHS = rows(
    *(
        {"question": f"What is {n} times {n}?", "answer": f"{n} x {n} is {n * n}.\n#### {n * n}"}
        for n in range(2, 6)
    )
)
TEXTS = rows(
    *({"text": f"{asked} {answer}"} for asked, answer in PAIRS),
    *({"text": f"{answer} {asked}"} for asked, answer in PAIRS),
)
