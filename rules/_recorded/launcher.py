"""A small accelerate for examples, installed beside the run: what its launcher reads."""

from __future__ import annotations

CONFIG = """class BaseConfig:
    compute_environment: str
    distributed_type: str
    mixed_precision: str

    @staticmethod
    def process_config(config_dict):
        if "fp16" in config_dict:
            del config_dict["fp16"]


class ClusterConfig(BaseConfig):
    num_processes: int = -1
    num_machines: int = 1
    deepspeed_config: dict = None
    fsdp_config: dict = None
    new_config: dict = None
"""
OPTIONS = """fsdp_args.add_argument("--fsdp_version")
fsdp_args.add_argument("--fsdp_new_setting")
deepspeed_args.add_argument("--zero_stage")
parser.add_argument("--num_processes")
"""
TYPES = """class DistributedType(str):
    NO = "NO"
    FSDP = "FSDP"
    MULTI_NEW = "MULTI_NEW"


class SageMakerDistributedType(str):
    DATA_PARALLEL = "DATA_PARALLEL"
"""
HERE = "site-packages/accelerate"
INSTALLED = {
    "site-packages/accelerate-1.15.0.dist-info/METADATA": "Name: accelerate\nVersion: 1.15.0\n",
    f"{HERE}/__init__.py": "",
    f"{HERE}/commands/config/config_args.py": CONFIG,
    f"{HERE}/commands/launch.py": OPTIONS,
    f"{HERE}/utils/launch.py": 'getattr(args, "fsdp_ignored_modules", None)\n',
    f"{HERE}/utils/dataclasses.py": TYPES,
}
"""Files by their paths. It reads settings that no release has, and lacks some of old ones."""
