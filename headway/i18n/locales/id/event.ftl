### Yang terjadi pada sebuah run, satu baris masing-masing.

event-started = Pelatihan dimulai.
event-resumed = Pelatihan dilanjutkan setelah langkah { $step }.
event-data-ready = Data: { COUNT($documents) } dokumen, { BYTES($text_bytes) } teks, { COUNT($tokens) } token (masing-masing { DECIMAL($bytes_per_token) } byte).
event-checkpoint-saved = Checkpoint di langkah { $step }: { BYTES($bytes) } dalam { DURATION($seconds) }.
event-evaluated-answers = Validasi di langkah { $step }: loss { DECIMAL($loss, 4) }, perplexity { DECIMAL($perplexity) }.
event-evaluated = Validasi di langkah { $step }: loss { DECIMAL($loss, 4) }, perplexity { DECIMAL($perplexity) }, { DECIMAL($bits_per_byte) } bit per byte.
event-step-skipped = Langkah { $step } dilewati: gradiennya meluap di fp16 dengan skala loss { $loss_scale }, yang kini dibagi dua.
event-finished = Selesai.
event-stopped-early = Berhenti lebih awal setelah langkah { $step } karena tidak lagi membaik: loss validasi terendah adalah { DECIMAL($loss, 4) } di langkah { $best_step }, yang checkpoint-nya disimpan. Gunakan dengan --best.
event-step-abandoned = Langkah { $step } ditinggalkan setelah { DURATION($seconds) } karena run harus berhenti; langkah ini diulang saat run dilanjutkan.
event-checkpoint-interval = Checkpoint kini dibuat setiap { DURATION($seconds) }, sebelumnya { DURATION($before_seconds) }: kegagalan diperkirakan terjadi setiap { DURATION($mtbf_seconds) }, dan satu checkpoint menghentikan pekerjaan selama { DURATION($stall_seconds) }.
event-stopped = Berhenti.
event-failed = Gagal.
