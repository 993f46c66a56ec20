"""Tests that a busy machine does not fail, and whose processes can be ended as by a user."""

from __future__ import annotations

import os
import signal
import sys

from hypothesis import HealthCheck, settings

settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any")

# a shell that runs the tests in the background ignores SIGINT, nohup SIGHUP; children inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# nor do the settings of whoever runs the tests count
os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
os.environ.pop("TRL_DOCTOR_PYTHON", None)

# where that is not wanted, each worker would compile all tests anew; processes have the variable
sys.dont_write_bytecode = False
