"""The tests' own processes can be ended as by a user, whoever started the tests."""

from __future__ import annotations

import os
import signal

# a shell that runs the tests in the background ignores SIGINT, nohup SIGHUP; children inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# nor do the settings of whoever runs the tests count
os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
os.environ.pop("TRL_DOCTOR_PYTHON", None)
