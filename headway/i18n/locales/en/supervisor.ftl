### What the supervisor of a job says.

# $attempt (Number)
supervisor-attempt-started = Start { $attempt }.
# $attempt (Number), $seconds (Number)
supervisor-attempt-finished = Finished after { DURATION($seconds) }.
# $signal (Number)
supervisor-attempt-stopped = Stopped, as signal { $signal } asked.
# $cause (String): the text of the root cause, $confidence (Number): 0 to 1
supervisor-attempt-failed = { $cause } ({ PERCENT($confidence) } sure)
# $silent_seconds (Number)
supervisor-hang = No step for { DURATION($silent_seconds) }: it hangs, and is ended.
# $wait_seconds (Number)
supervisor-retrying = Starting again in { DURATION($wait_seconds) }.
# $reason (String)
supervisor-gave-up = { $reason ->
    [lasting] Not started again: that would be there at the next start too.
    [repeated] Not started again: the same happened at the same step twice.
   *[retries] Not started again: the number of starts that were allowed is used up.
}
# $path (String)
supervisor-explained = The whole story: headway diagnose { $path }
supervisor-no-command = There must be a command to run, but none stands behind the options.
    .next = Write it behind two dashes, for example: headway run -- torchrun train.py
