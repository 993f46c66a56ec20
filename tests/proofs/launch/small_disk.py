"""Runs a module of Python with a small disk in place of a folder, which no other process sees.

`python small_disk.py FOLDER SIZE -m MODULE [ARGUMENT...]`, SIZE as `mount` takes it. It ends with
77 where this user may mount nothing. Standard library only: an environment's interpreter runs it.
"""

import ctypes
import runpy
import subprocess
import sys

NOT_ALLOWED = 77
OWN_MOUNTS = 0x00020000
PRIVATE = ["mount", "--make-rprivate", "/"]


def main():
    """Mount, and become what the arguments name."""
    folder, size, _, module, *rest = sys.argv[1:]
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
    if ctypes.CDLL(None).unshare(OWN_MOUNTS):
        sys.exit(NOT_ALLOWED)
    for command in (PRIVATE, mount):
        if subprocess.run(command, capture_output=True).returncode:
            sys.exit(NOT_ALLOWED)
    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
