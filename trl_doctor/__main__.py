"""`python -m trl_doctor` is `trl-doctor`."""

import os
import sys

if sys.path and sys.path[0] == os.getcwd():  # noqa: PTH109
    del sys.path[0]  # a click.py in the working folder is not the library

from trl_doctor.commands.start import run

run(prog_name="trl-doctor")
