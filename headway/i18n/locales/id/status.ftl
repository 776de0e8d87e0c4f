### Keadaan sebuah run.

status-created = dibuat
status-running = berjalan
status-finished = selesai
status-failed = gagal
status-interrupted = terputus
status-damaged = rusak
