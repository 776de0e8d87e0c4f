"""llama.cpp in a process of its own, behind a socket that only this user can open."""

from headway.serving.engine.process import Engine
from headway.serving.engine.settings import KEY_VALUE_TYPES, NUMA_POLICIES, EngineSettings

__all__ = ["KEY_VALUE_TYPES", "NUMA_POLICIES", "Engine", "EngineSettings"]
