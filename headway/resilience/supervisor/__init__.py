"""Keeps a job of any program alive: starts it, watches it, ends it whole, says why it stopped, and starts it again.

supervise(["torchrun", "train.py"], folder)    one call, in `supervising`
Job, reaper                                    a process group that outlives nobody
Watch                                          progress from what the job writes, and hangs
decide                                         whether another start can help
"""

from headway.resilience.supervisor.deciding import Decision, decide
from headway.resilience.supervisor.supervising import Limits, Outcome, supervise

__all__ = ["Decision", "Limits", "Outcome", "decide", "supervise"]
