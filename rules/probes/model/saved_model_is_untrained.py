"""The script saves weights that were not trained.

After the training the script saves a model, and the folder has not one of the trained weights: the
model was loaded a second time, the adapter was taken off, or another object was saved. Or it saves
a model whose layers an adapter wraps: the weights have other names then, and whoever loads the
folder gets random weights in their place. Or the file of an adapter has no weights at all: the
script has put another function in the place of `model.state_dict`, which leaves out what PEFT does
not find again. No error is raised, and the folder looks complete.

Remedy: call `trainer.save_model(…)`, or save the result of `trainer.model.merge_and_unload()`.
Leave `model.state_dict` as it is: PEFT saves the adapter alone.

Versions: every trl with every transformers. A rehearsal compares the weights in the folder with
those before the first step and after the last one.

Seen: with trl 1.16.0: `SFTTrainer("model", …)`, then `save_pretrained` of a model that the script
had loaded itself; with LoRA, `save_pretrained` of the base model, and of `trainer.model.unload()`.
After `model.save_pretrained` of a model that SFTTrainer had wrapped for LoRA, transformers 5.23.0
loads random q_proj and v_proj. With `get_peft_model_state_dict` as the model's `state_dict`
(alpaca-lora#539) peft 0.17.1 and 0.21.2 save an adapter of 0 tensors.
"""

from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Finding, Place, Spot
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Examples, Good, Rule

from ..._recorded.rehearsal import FILES, TRL, rehearsed


def check(facts: Facts) -> Iterator[Finding]:
    folders = facts[rehearsal].saved_folders
    if not folders:
        raise Unavailable("the script saved no model after it had trained one")
    for saved in folders:
        if saved.inner:
            yield Finding(
                Place(Path(saved.file), spot=Spot(saved.line, saved.column)),
                f"the model in {saved.folder} has its weights under names of an adapter: "
                "loading it gives random weights in their place",
                evidence=(f"names: {', '.join(saved.inner)}",),
            )
        if saved.state == "empty":
            yield Finding(
                Place(Path(saved.file), spot=Spot(saved.line, saved.column)),
                f"the adapter in {saved.folder} is empty: nothing of what was trained is in it",
                remedy="save the model as it is: leave its state_dict alone",
            )
    if all(saved.state == "untouched" for saved in folders):
        last = folders[-1]
        yield Finding(
            Place(Path(last.file), spot=Spot(last.line, last.column)),
            f"the model in {last.folder} has the weights from before the training: nothing of what "
            "was trained is in it",
        )


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import SavedFolder

    from ..._recorded.rehearsal import kept

    base = SavedFolder("final", "untouched", file="train.py", line=9)
    wrapped = SavedFolder("final", "trained", ("layers.0.q_proj.base_layer.weight",), "train.py", 9)

    empty = SavedFolder("final", "empty", file="train.py", line=9)

    def bad(*folders: SavedFolder, says: str) -> Bad:
        return Bad(FILES, versions=TRL, level="rehearsal", answers=kept(*folders), says=says)

    def good(*folders: SavedFolder, skipped: str = "") -> Good:
        answers = kept(*folders)
        return Good(FILES, versions=TRL, level="rehearsal", answers=answers, skipped=skipped)

    return (
        bad(base, says="final has the weights from before the training"),
        bad(wrapped, says="under names of an adapter"),
        bad(empty, SavedFolder("merged", "other"), says="the adapter in final is empty"),
        good(base, SavedFolder("merged", "other")),
        good(SavedFolder("final", "trained")),
        good(skipped="the script saved no model"),
        Good(FILES, versions=TRL, answers=rehearsed()),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
