"""How many problem reports of TRL users the doctor tells: `python benchmarks/reports.py`.

Runs tests/proofs/reports/ in the pinned environments (TRL_DOCTOR_ENVIRONMENTS).
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests/proofs"), str(ROOT / "tests/proofs/reports"), str(ROOT / "fixtures")]

import hosts
from collection import REPORTS
from report import errors, names_cause, real, told

def main():
    p = argparse.ArgumentParser()
    p.add_argument("--only", nargs="*"); p.add_argument("--environment"); p.add_argument("--no-real", action="store_true"); p.add_argument("--no-doctor", action="store_true"); p.add_argument("-v", action="store_true"); p.add_argument("--level")
    a = p.parse_args()
    base = Path(os.environ["TRL_DOCTOR_ENVIRONMENTS"])
    chosen = [r for r in REPORTS if (not a.only or any(o in r.thread for o in a.only)) and (not a.environment or r.environment == a.environment)]
    chosen.sort(key=lambda r: r.environment)
    for env in dict.fromkeys(r.environment for r in chosen):
        python = base / env / "bin/python"
        mine = [r for r in chosen if r.environment == env]
        with tempfile.TemporaryDirectory() as tmp:
            laid = {}
            for n, r in enumerate(mine):
                for healthy in (False, True):
                    f = Path(tmp) / f"{n}-{healthy}"; f.mkdir()
                    laid[r.thread, healthy] = r.lay(f, healthy=healthy)
            if not a.no_real:
                for r in mine:
                    b = real(python, laid[r.thread, False].parent); h = real(python, laid[r.thread, True].parent)
                    sb = re.search(r.sign, b.stderr + b.stdout); sh = re.search(r.sign, h.stderr + h.stdout)
                    ok = bool(sb) and not sh and not h.returncode
                    print("REAL", "ok " if ok else "BAD", r.thread, env, b.returncode, h.returncode)
                    if not ok or a.v:
                        print("   broken:", (b.stderr + b.stdout)[-600 if not a.v else -1500:]); print("   healthy:", (h.stderr + h.stdout)[-600:])
            if not a.no_doctor:
                for level in ([a.level] if a.level else ["files", "tiny"]):
                    them = [r for r in mine]
                    scripts = [laid[r.thread, h] for r in them for h in (False, True)]
                    found = told(python, scripts, level)
                    for i, r in enumerate(them):
                        fb, fh = found[2 * i], found[2 * i + 1]
                        nc = names_cause(r, fb)
                        print("DOC", level, "TOLD" if nc else "----", r.thread, nc, "FALSE " + str(errors(fh)) if errors(fh) else "", "" if nc else errors(fb))
                        if a.v:
                            for x in fb: print("     ", x["severity"], x["rule"], x["message"])
        hosts.close()
main()
