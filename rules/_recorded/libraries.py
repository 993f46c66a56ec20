"""Answers of the probe that imports the libraries."""

from trl_doctor.facts.rule import Answers
from trl_doctor.probes.answers.libraries import LibrariesAnswer

IMPORTS: Answers = {"libraries": LibrariesAnswer({})}
"""They all import: what every other probe needs."""
