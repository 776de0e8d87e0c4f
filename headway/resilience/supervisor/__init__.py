"""Keeps a job alive: starts it, watches it, ends it whole, says why it stopped, and starts it again.

Supervisor(work, limits)                       the loop, in `supervising`
Work, Attempt                                  what it keeps alive; a training of our own is one (`training.supervised`)
supervise(["torchrun", "train.py"], folder)    a command of any program is another, in `command`
Job, reaper                                    a process group that outlives nobody
Watch, Pulse                                   progress from what the job writes or from heartbeats, and hangs
decide                                         whether another start can help
"""

from headway.resilience.supervisor.attempt import Attempt, Failure, Work
from headway.resilience.supervisor.command import supervise
from headway.resilience.supervisor.deciding import Decision, decide
from headway.resilience.supervisor.supervising import Limits, Outcome, Supervisor

__all__ = ["Attempt", "Decision", "Failure", "Limits", "Outcome", "Supervisor", "Work", "decide", "supervise"]
