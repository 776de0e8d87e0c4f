status-created = δημιουργήθηκε
status-running = εκτελείται
status-finished = ολοκληρώθηκε
status-failed = απέτυχε
status-interrupted = διακόπηκε
status-damaged = κατεστραμμένη
