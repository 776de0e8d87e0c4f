supervisor-attempt-started = Εκκίνηση { $attempt }.
supervisor-attempt-finished = Ολοκληρώθηκε μετά από { DURATION($seconds) }.
supervisor-attempt-stopped = Σταμάτησε, όπως ζήτησε το σήμα { $signal }.
supervisor-attempt-failed = { $cause } (βεβαιότητα { PERCENT($confidence) })
supervisor-hang = Κανένα βήμα εδώ και { DURATION($silent_seconds) }: έχει κολλήσει και τερματίζεται.
supervisor-retrying = Νέα εκκίνηση σε { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] Δεν ξεκινά ξανά: το ίδιο θα συνέβαινε και στην επόμενη εκκίνηση.
    [repeated] Δεν ξεκινά ξανά: συνέβη το ίδιο δύο φορές στο ίδιο βήμα.
   *[retries] Δεν ξεκινά ξανά: οι επιτρεπόμενες εκκινήσεις εξαντλήθηκαν.
}
supervisor-explained = Όλη η ιστορία: headway diagnose { $path }
supervisor-no-command = Πρέπει να υπάρχει εντολή για εκτέλεση, αλλά δεν υπάρχει καμία μετά τις επιλογές.
    .next = Γράψτε την μετά από δύο παύλες, για παράδειγμα: headway run -- torchrun train.py
