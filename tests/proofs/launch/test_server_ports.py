"""A job that starts the vLLM server on one port, and whose trainer looks for it on another."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import checks, free_ports, ran
from laid import ROOT, Interpreter

CLIENT = """\
import sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from trl.generation.vllm_client import VLLMClient


class Healthy(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"data": [{"id": "m"}]}')

    def log_message(self, *words):
        pass


server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Healthy)
threading.Thread(target=server.serve_forever, daemon=True).start()
VLLMClient(host="127.0.0.1", server_port=int(sys.argv[2]), connection_timeout=1.0)
print("FOUND")
"""
SCRIPT = """\
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer


def score(completions, **kwargs):
    return [float(len(text)) for text in completions]


args = GRPOConfig("out", use_vllm=True, vllm_mode="server", vllm_server_port={port}, bf16=False)
GRPOTrainer("{model}", reward_funcs=score, args=args,
            train_dataset=Dataset.from_dict({{"prompt": ["One?", "Two?"] * 8}}))
"""
JOB = """\
#!/bin/bash
PORT={port}
CUDA_VISIBLE_DEVICES=0 trl vllm-serve --model {model} --port $PORT > vllm.log 2>&1 &
CUDA_VISIBLE_DEVICES=1 accelerate launch --num_processes 1 train.py
"""
RULE = "vllm-server-on-another-port"


@pytest.mark.environment("engine")
@pytest.mark.parametrize("same", [False, True])
def test_the_port_of_the_server(interpreter: Interpreter, tmp_path: Path, same: bool) -> None:
    python, (first, second) = interpreter("engine"), free_ports(2)
    second = first if same else second
    client = ran(python, "-c", CLIENT, str(first), str(second), cwd=tmp_path)
    assert ("FOUND" in client.stdout) == same, client.stderr[-2000:]
    assert ("The vLLM server can't be reached" in client.stderr) == (not same)
    model = ROOT / "fixtures/models/healthy"
    (tmp_path / "train.py").write_text(SCRIPT.format(model=model, port=second))
    (tmp_path / "job.sh").write_text(JOB.format(model=model, port=first))
    findings = checks(tmp_path / "job.sh", python, "--level", "files")[RULE]["findings"]
    assert [finding["line"] for finding in findings] == ([] if same else [3])
