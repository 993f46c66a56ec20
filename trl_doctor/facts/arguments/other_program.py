"""Whether another program than TRL reads a run file, by its keys."""

from collections.abc import Iterator
from itertools import chain

from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.declared import declared, reader
from trl_doctor.facts.library import PARSER_KEYS, releases
from trl_doctor.facts.library.releases import Lifetime
from trl_doctor.facts.run import OWN_KEYS
from trl_doctor.files.programs import TELLING

SCRIPTS = frozenset(
    {
        *("benchmarks", "callbacks", "chat_template", "code_eval_test_batch_size", "code_language"),
        *("code_provider", "cosine_max_len", "data_mixer", "dataset_configs", "dataset_id_or_path"),
        *("dataset_mixer", "dataset_mixture", "dataset_prompt_column", "dataset_split"),
        *("dataset_splits", "e2b_router_url", "hub_model_revision", "overwrite_hub_revision"),
        *("preprocessing_num_workers", "push_to_hub_revision", "repetition_n_grams"),
        *("spectrum_config_path", "system_prompt", "wandb_entity", "wandb_run_group"),
    }
)
"""Keys that well-known scripts built on TRL (open-r1, alignment-handbook, …) add to its own."""

BESIDE = ("ModelConfig", "ScriptArguments", "DatasetMixtureConfig")
LAUNCHERS = frozenset({"nproc_per_node"})
MODELS = frozenset({"base_model", "model", "model_id", "model_name", "model_path"})
ON_LINE = "--trainer"
"""Where a trainer is named that the user gives to the doctor."""
SHOWN = 3
"""Keys that are named; of more the number is enough."""

STRANGE_SHARE = 1 / 3
"""If more of the keys were never TRL's, another program reads the file; half if it has `MODELS`."""


def no_other_program(facts: Facts) -> None:
    """Raises `Unavailable` if the run file belongs to another program, not to TRL."""
    reason = facts[_named]
    if not reason and facts.run.trainer_from != ON_LINE:
        reason = facts[strange]
    if reason:
        raise Unavailable(reason)


def _named(facts: Facts) -> str:
    """The program that has a key of the file, as a reason; "" if it is none."""
    keys = () if facts.run.by_class or facts.run.program else facts.run.arguments
    for program, telling in TELLING.items():
        if keys_found := [key for key in keys if key in telling]:
            return f"this is a file of {program} ({', '.join(keys_found)}), not of TRL"
    return ""


def strange(facts: Facts) -> str:
    """Why the keys look like another program's, where the file itself names no trainer; else "".

    A trainer on the command line overrules it.
    """
    keys = () if facts.run.by_class or facts.run.program else facts.run.arguments
    if not keys:
        return ""
    if facts.run.trainer_from.startswith("trainer:") or facts.run.target.launch is not None:
        return ""  # the file names its trainer, or a line starts trl with it
    ours = {*OWN_KEYS, *PARSER_KEYS, *LAUNCHERS, *SCRIPTS, *releases.launch_options()}
    ours |= facts[declared][1]
    if own := reader(facts.run.target.path, frozenset(keys)):
        return own
    never_known = [key for key in keys if key not in ours and not _ever(key)]
    named_otherwise = "model_name_or_path" not in keys and not MODELS.isdisjoint(keys)
    number = len(never_known)
    if number <= len(keys) * STRANGE_SHARE / (1 + named_otherwise):
        return ""
    shown = ", ".join(f"{key:.40}" for key in never_known[:SHOWN])
    more = f" and {number - SHOWN} more" if number > SHOWN else ""
    whole = f"{number} of its {len(keys)} keys" if number < len(keys) else "any of its keys"
    return f"another program reads this file: TRL never had {whole} ({shown}{more})"


def _ever(key: str) -> bool:
    return any(_spans(key))


def _spans(key: str) -> Iterator[Lifetime]:
    names = (*(trainer.config for trainer in TRAINERS.values()), *BESIDE, "GRPOScriptArguments")
    return chain.from_iterable(releases.lifetimes(name, key) for name in names)
