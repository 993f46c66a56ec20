"""What listens at a port of this machine."""

import socket
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from trl_doctor.machine.surroundings import Surroundings


def test_a_web_server_of_one_connection_is_not_taken_for_vllm() -> None:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as other:
        serving = Thread(target=other.serve_forever)
        serving.start()
        assert Surroundings().listener(other.server_port) == "http"
        other.shutdown()
        serving.join()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert Surroundings().listener(port) == ""
