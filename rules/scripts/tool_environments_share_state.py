"""Environments of GRPO share what each should have.

GRPO makes one object of the environment for each completion. A list or a dict that the class makes
(`cart = []` below `class`) is one for all of them: what one completion buys is in the cart of all
others, and `reset` does not empty it. Rewards then pay for what another completion has done, and
the group no longer shows which one was good. No error is raised.

Remedy: make it for each object, in `reset`: `self.cart = []`.

Versions: trl 0.29.0 and newer, which have `environment_factory`. What looks meant for all objects
(a cache, statistics, a log) is left alone.

Seen: reproduced with trl 1.16.0: an environment whose methods append to a list of the class. The
second object that GRPO makes begins with what the first one has put there.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.shared_state import shared
from trl_doctor.facts.script.tools import ENVIRONMENTS, given

from .._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    places = given(facts)
    if ENVIRONMENTS not in places:
        raise NotConcerned("the run has no environments")
    for cls, attribute, line in shared(facts):
        yield Finding(
            places[ENVIRONMENTS],
            f"all environments share {cls}.{attribute} (line {line}): what one completion changes "
            "there, all others have",
            remedy=f"write self.{attribute} = … in {cls}.reset",
        )


SHOP = """\
class Shop:
    cart: list = []
    def reset(self, **kwargs):
        pass
    def buy(self, item: str) -> str:
        self.cart.append(item)
        return "bought"
"""
STOCK = SHOP.replace("cart: list = []", "cart = dict(a=1)").replace(".append(item)", "[item] -= 1")
OWN = SHOP.replace("        pass", "        self.cart = []")
GIVEN = "environment_factory=Shop"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            script("GRPO", GIVEN, before=SHOP),
            "train.py",
            versions=TRL,
            says="all environments share Shop.cart (line 5)",
        ),
        Bad(
            script("GRPO", GIVEN, before=STOCK),
            "train.py",
            versions=TRL,
            says="all environments share Shop.cart (line 5)",
        ),
        Good(script("GRPO", GIVEN, before=OWN), "train.py", versions=TRL),
        Good(script("GRPO", GIVEN, before=SHOP.replace("cart", "cache")), "train.py", versions=TRL),
        Good(
            script("GRPO", GIVEN, before=SHOP.replace(".append(item)", ".count(item)")),
            "train.py",
            versions=TRL,
        ),
        Good(script("GRPO", "reward_funcs=len"), "train.py", versions=TRL),
    ),
)
