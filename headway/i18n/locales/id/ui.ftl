### Teks dasbor.

## Di setiap halaman

ui-skip = Ke isi halaman
ui-language = Bahasa
ui-dark = Gelap
ui-light = Terang
ui-loading = Memuat…
ui-no-page = Halaman ini tidak ada.
ui-disconnected = Koneksi terputus, mencoba lagi
ui-error-page = Halaman ini gagal: { $reason }
ui-error-server = Server tidak menjawab. Apakah `headway watch` masih berjalan?
ui-error-status = Server menjawab dengan status { $status }.

## Daftar run

ui-runs = Run
ui-runs-filter = Saring menurut nama
ui-runs-compare = Bandingkan ({ $count })
ui-runs-none = Belum ada run. Mulai dengan `headway train RECIPE`.
ui-runs-choose = Pilih untuk dibandingkan
ui-compare = Perbandingan run
ui-column-name = Nama
ui-column-status = Status
ui-column-progress = Kemajuan
ui-column-loss = Loss
ui-column-validation = Loss validasi
ui-column-speed = Kecepatan
ui-column-changed = Terakhir aktif

## Satu run

ui-charts = Grafik
ui-charts-none = Belum ada langkah yang selesai.
ui-axis = Sumbu mendatar
ui-axis-step = Langkah
ui-axis-tokens = Token
ui-axis-time = Waktu
ui-logarithmic = Logaritmik
ui-zoom-out = Tampilkan semua
ui-ledger = Prediksi dan hasil ukur
ui-column-resource = Sumber daya
ui-column-quantity = Besaran
ui-column-predicted = Prediksi
ui-column-measured = Hasil ukur
ui-column-error = Selisih
ui-estimated = { $value } (perkiraan)
ui-events = Riwayat kejadian
ui-why = Mengapa berhenti

## Metrik

ui-metric-gradient_norm = norma gradien
ui-metric-learning_rate = laju pembelajaran
ui-metric-resident_bytes = memori proses
ui-metric-data_seconds = menunggu data, per langkah
ui-metric-loss_scale = skala loss
ui-metric-is_skipped = dilewati

ui-tokens-per-second = { $count } token/dtk

## Rencana

ui-plan = Rencana
ui-plan-model = Model
ui-plan-accelerator = Akselerator
ui-plan-devices = Perangkat
ui-plan-tokens = Token
ui-plan-fits = Memori mencukupi.
ui-plan-memory = Memori per perangkat
ui-plan-step = Waktu per langkah
ui-plan-days = Waktu total
ui-plan-mfu = Utilisasi FLOPs model (MFU)
ui-plan-power = Daya seluruh lokasi
ui-plan-energy = Energi
ui-plan-carbon = Karbon
ui-plan-cost = Biaya
ui-plan-goodput = Goodput
ui-part-parameters = Parameter
ui-part-gradients = Gradien
ui-part-optimizer = Optimizer
ui-part-activations = Aktivasi
ui-part-logits = Logit
ui-part-communication = Komunikasi
ui-part-reserve = Cadangan

## Diagnosis

ui-diagnose = Diagnosis
ui-diagnose-drop = Letakkan log di sini atau pilih berkas: framework apa pun, boleh terkompresi
ui-diagnose-private = Log dibaca di mesin yang menjalankan server ini dan tidak dikirim ke mana pun.
ui-diagnose-first = Kegagalan pertama: rank { $rank }, host { $host }
ui-diagnose-remedies = Yang perlu dilakukan
ui-diagnose-evidence = Buktinya

## Server

ui-server = Server
ui-server-processor = Prosesor
ui-server-cores = Core untuk komputasi
ui-server-memory = Memori
ui-server-disk = Ruang disk kosong
ui-server-accelerators = Akselerator
ui-server-advice = Saran
ui-server-fine = Tidak ada yang perlu diubah.
