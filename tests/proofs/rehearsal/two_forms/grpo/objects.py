"""Reward functions of GRPO that are objects, partials and coroutines."""

from __future__ import annotations

from two_forms.grpo.learns import SHOW_LENGTH, grpo
from two_forms.script import TwoForms

TOO_LONG = '''\
class TooLong:
    """A penalty on length."""

    def __init__(self, share):
        self.share = share

    def __call__(self, completions, **kwargs):
        return [self.of(c[0]["content"]) for c in completions]

    def of(self, text):
        return self.share * len(text)  #~bad
        return -self.share * len(text)  #~good


'''
NUMBER = """\
def number(completions, answer, tag, **kwargs):
    found = [re.findall(f"<{tag}>(.*?)</{tag}>", one[0]["content"]) for one in completions]
    answer = [int(one) for one in answer]  #~bad
    return [float(texts[-1:] == [one]) for texts, one in zip(found, answer)]


tagged = partial(number, tag="answer")


"""
JUDGE = """\
class Judge:
    async def __call__(self, completions, answer, **kwargs):
        return [await self.one(c, a) for c, a in zip(completions, answer)]  #~bad
        return [await self.one(c[0]["content"], a) for c, a in zip(completions, answer)]  #~good

    async def one(self, text, wanted):
        return float(f"<answer>{wanted}</answer>" in text)


judge = Judge()


"""
SHOW_CALL = """said = [[{"role": "assistant", "content": "<answer>42</answer>"}]]
given = CALLED(completions=said, answer=["42"])
print("GIVES", given if isinstance(given, list) else asyncio.run(given))"""
IMPORTS = "import asyncio\nfrom functools import partial\n"

SCRIPTS = (
    TwoForms("an object is a penalty with the wrong sign", "current", "reward-penalty-reversed",
             grpo(TOO_LONG, "[TooLong(0.001)]", SHOW_LENGTH),
             "GROWS", "SHRINKS", "warning", "TooLong is a penalty on length, and gives longer"),
    TwoForms("a partial compares a text with a number", "current", "reward-constant",
             IMPORTS + grpo(NUMBER, "[has_letter, tagged]", SHOW_CALL.replace("CALLED", "tagged")),
             "GIVES [0.0]", "GIVES [1.0]", "warning", "number gives 0 to every completion"),
    TwoForms("a coroutine looks for a text among messages", "current", "reward-constant",
             IMPORTS + grpo(JUDGE, "[has_letter, judge]", SHOW_CALL.replace("CALLED", "judge")),
             "GIVES [0.0]", "GIVES [1.0]", "error", "Judge gives 0 to every completion"),
)  # fmt: skip
