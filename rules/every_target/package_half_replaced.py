"""A package is installed with the metadata of another release.

An installation that was interrupted, or a package that was copied over another, leaves metadata of
one release beside the code of another. Libraries read the versions of others from the metadata:
they then refuse a package that is right, or go on with one that is too old. trl-doctor reads the
releases from the metadata, too.

Remedy: install the package again, as the finding describes.

Versions: every release.

Seen: reproduced with trl 1.16.0, transformers 5.23.0, accelerate 1.15.0 and metadata of accelerate
0.20.0: "Using the `Trainer` with `PyTorch` requires `accelerate>=1.1.0`". Without that folder the
trainer starts.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library.installed import Unfinished, unfinished
from trl_doctor.facts.rule import Bad, Good, Rule

from .._recorded.candidate import RUN


def check(facts: Facts) -> Iterator[Finding]:
    world = facts.environment
    if not (world.metadata("trl") or world.metadata("transformers")):
        raise Unavailable("the environment of the job is not known: use --python")
    for package in unfinished(world):
        yield Finding(
            facts.run.place(),
            f"{package.package} is half installed: {_says(package)}",
            (f"source: {package.folder}",),
            remedy=f"delete the {package.package}-*.dist-info folders in {package.folder}, "
            f"then run {world.python} -m pip install --force-reinstall --no-deps "
            f"{package.package}=={package.module or 'VERSION'}",
        )


def _says(package: Unfinished) -> str:
    listed = " and ".join(map(str, package.versions))
    if package.module is None:
        return f"there is metadata of the releases {listed}"
    return f"its metadata says {listed}, its code {package.module}"


def _installed(*metadata: str, code: str) -> dict[str, str]:
    """A transformers of this version, with the metadata of these."""
    site = "site-packages"
    files = {
        f"{site}/transformers-{version}.dist-info/METADATA": f"Version: {version}\n"
        for version in metadata
    }
    return {**files, f"{site}/transformers/__init__.py": f'__version__ = "{code}"\n'}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    explains=r"requires `accelerate>=",
    examples=(
        Bad(
            {"run.json": RUN, **_installed("4.57.6", "5.23.0", code="5.23.0")},
            says="transformers is half installed: its metadata says 4.57.6 and 5.23.0, its code "
            "5.23.0",
        ),
        Bad(
            {"run.json": RUN, **_installed("4.57.6", code="5.23.0")},
            says="its metadata says 4.57.6, its code 5.23.0",
        ),
        Good({"run.json": RUN, **_installed("5.23.0", code="5.23.0")}),
        Good({"run.json": RUN}, skipped="the environment of the job is not known"),
    ),
)
