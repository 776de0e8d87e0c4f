"""The process that runs llama.cpp: ``python -m headway.serving.engine.child SETTINGS SOCKET``.

It listens on a Unix socket in a folder that only this user can enter, says ``ready`` on standard output, and ends when
its standard input closes, as it does when the process that started it ends, however that ends. What llama.cpp has to
say goes to standard error.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from headway.serving.engine.settings import EngineSettings

FAILED = 3
"""Exit code where llama.cpp refuses the model; its reasons are on standard error."""


def main() -> None:
    """Run the model until standard input closes."""
    settings, socket_path = EngineSettings.from_json(sys.argv[1]), sys.argv[2]
    import xllamacpp

    try:
        server = xllamacpp.Server(_parameters(xllamacpp, settings, socket_path))
    except RuntimeError as error:
        sys.stderr.write(f"{error}\n")
        # Not at once: llama.cpp writes its log from a thread of its own.
        sys.exit(FAILED)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    # Its destructor waits for requests that go on; whoever closed our input has waited for those that matter.
    del server
    os._exit(0)


def _parameters(package: Any, settings: EngineSettings, socket_path: str) -> Any:
    found = package.CommonParams()
    found.model.path = settings.model
    found.model_alias = {settings.alias}
    found.hostnames = [socket_path]
    # Requests share the context among them, each with its part.
    found.n_ctx = settings.context * settings.parallel
    found.n_parallel = settings.parallel
    found.n_batch = found.n_ubatch = settings.batch
    for threads in (found.cpuparams, found.cpuparams_batch):
        threads.n_threads = settings.threads
    kind = getattr(package.ggml_type, f"GGML_TYPE_{settings.key_value_type.upper()}")
    found.cache_type_k = found.cache_type_v = kind
    flash = {"auto": "AUTO", "on": "ENABLED", "off": "DISABLED"}[settings.flash_attention]
    found.flash_attn_type = getattr(package.llama_flash_attn_type, f"LLAMA_FLASH_ATTN_TYPE_{flash}")
    found.numa = getattr(package.ggml_numa_strategy, f"GGML_NUMA_STRATEGY_{settings.numa.upper()}")
    mode = "MMAP_MLOCK" if settings.locks else "MMAP"
    found.load_mode = getattr(package.llama_load_mode, f"LLAMA_LOAD_MODE_{mode}")
    found.no_extra_bufts = not settings.repacks
    if settings.embeds:
        found.embedding = True
        found.pooling_type = package.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    found.warmup = settings.warms_up
    found.endpoint_metrics = True
    # The model is placed by Headway, and its pages and tools are none of ours.
    found.fit_params = found.ui = False
    return found


if __name__ == "__main__":
    main()
