"""The models to download do not fit on the disk.

The job waits in the queue, downloads for a while, and fails because the disk is full: the Hub's
cache is in the home folder, which is small on many clusters.

Remedy: set HF_HOME to a folder on a larger disk, and download there before the job starts.

Versions: any. The sizes are those that the Hub lists; weights in several formats count once.
Examined only on the machine that has the run's libraries.

Seen: huggingface_hub warns of it and downloads all the same ("Not enough free disk space to
download the file"); no job was run into a full disk for this rule, so it is a warning.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.sizes import shown
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.hub_copies import cache_root, to_download
from trl_doctor.facts.rule import Bad, Files, Good, Rule
from trl_doctor.facts.surroundings import Surroundings, this_machine


def check(facts: Facts) -> Iterator[Finding]:
    models = facts.run.models.values()
    folders = {model.folder: model for model in models if not isinstance(model.folder, Unavailable)}
    sizes = {model: to_download(folder) for folder, model in folders.items()}
    download = sum(sizes.values())
    if not download:
        raise NotConcerned("the run downloads no model")
    free = this_machine(facts).free_at(cache_root())
    if download > free:
        largest = max(sizes, key=lambda model: sizes[model])
        yield Finding(
            largest.place,
            f"the run downloads {shown(download)}, and the disk of the Hub's cache has "
            f"{shown(free)} left",
            tuple(f"{model.name}: {shown(size)}" for model, size in sizes.items() if size),
        )


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m"}


def _run(size: int) -> Files:
    listing: dict[str, Json] = {
        **{"format": 1, "repo": "org/m", "commit": "0" * 40, "host": "hub"},
        "files": {"model.safetensors": {"size": size, "here": "no"}},
    }
    return {"run.json": RUN, "m/config.json": {}, "m/.trl-doctor-listing.json": listing}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            _run(15 * 1024**3),
            machine=Surroundings(free=1024**3),
            says="the run downloads 15.0 GiB, and the disk of the Hub's cache has 1.0 GiB left",
        ),
        Good(_run(15 * 1024**3), machine=Surroundings(free=16 * 1024**3)),
        Good({"run.json": RUN, "m/config.json": {}}, machine=Surroundings(free=0)),
        Good(_run(15 * 1024**3), skipped="no answers of probes"),
    ),
)
