"""`python -m trl_doctor` is `trl-doctor`."""

from trl_doctor.commands.cli import main

main(prog_name="trl-doctor")
