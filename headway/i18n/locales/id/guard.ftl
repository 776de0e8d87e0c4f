# Yang dikatakan penjaga tentang sebuah run selama pelatihan, diikuti tindakannya.

guard-not-finite = Langkah { $step } tidak menghasilkan bilangan hingga: loss { $loss } dan norma gradien { $gradient_norm }. Pembaruannya tidak diterapkan.
guard-loss-spike = Loss melonjak di langkah { $step }: { DECIMAL($loss, 4) }, sedangkan mediannya { DECIMAL($median, 4) }, atau { DECIMAL($deviations) } deviasi di atasnya.
guard-scale-collapse = Skala loss fp16 anjlok di langkah { $step }: { $skipped ->
        [1] satu langkah
       *[other] { $skipped } langkah berturut-turut
    } meluap, yang terakhir dengan skala { $loss_scale }.

guard-memory-creep = Memori bertambah { BYTES($bytes_per_second) } per detik: setelah langkah { $step } proses memakai { BYTES($used_bytes) }, dan dalam { DURATION($left_seconds) } tidak ada yang tersisa.
    .next = Cari apa yang terus bertambah; mulai ulang akan membebaskannya.
guard-disk = Disk hampir penuh: setelah langkah { $step } tersisa { BYTES($free_bytes) }, dan satu checkpoint memerlukan { BYTES($checkpoint_bytes) }.
    .next = Kosongkan ruang sebelum checkpoint berikutnya atau turunkan resilience.keep_last.
guard-throughput = Langkah berjalan lambat: sampai langkah { $step }, satu langkah memakan { DURATION($step_seconds) }, { $beside ->
        [plan] padahal rencananya { DURATION($expected_seconds) }
       *[best] padahal saat terbaik { DURATION($expected_seconds) }
    }; itu { PERCENT($share) } dari kecepatan tersebut.
    .next = Periksa suhu, daya, program lain di mesin, dan jaringannya.
guard-straggler = Proses { $rank } menghambat yang lain: di langkah { $step } pekerjaan yang sama memakan { DURATION($seconds) }, { DECIMAL($ratio) } kali dari biasanya.
    .next = Periksa mesinnya: suhu, daya, program lain; atau jangan sertakan pada percobaan berikutnya.
guard-data-stall = Langkah menunggu data: { PERCENT($share) } dari waktu sampai langkah { $step }.
    .next = Taruh data di disk yang lebih cepat atau beri proses ini lebih banyak core.

guard-corruption = { $what ->
        [copies] Salinan bobot yang sama berbeda antarproses setelah langkah { $step }
       *[replay] Langkah { $step } dikerjakan dua kali dari keadaan yang sama, tetapi hasilnya berbeda
    }{ $rank ->
        [-1] .
       *[other] : proses { $rank } berbeda dari yang lain.
    }
guard-device-events = { $kind ->
        [uncorrectable] Perangkat { $device } melaporkan { $code ->
            [0] galat memori yang tidak dapat dikoreksi
           *[other] Xid { $code }
        } sebelum langkah { $step }.
        [xid] Perangkat { $device } melaporkan Xid { $code } sebelum langkah { $step }.
        [corrected] Perangkat { $device } telah mengoreksi { $count ->
           *[other] { $count } galat memori
        } sebelum langkah { $step }.
        [power] Perangkat { $device } melambat karena kekurangan daya di langkah { $step }.
       *[thermal] Perangkat { $device } melambat karena panas di langkah { $step }.
    }
    .next = { $kind ->
        [thermal] Periksa pendinginnya.
        [power] Periksa catu dayanya.
       *[other] Minta pemeriksaan setelah run selesai.
    }

guard-action-warn = Run dilanjutkan.
guard-action-skip = Run dilanjutkan dengan batch berikutnya.
guard-action-roll-back = Run kembali ke langkah { $to_step } dan melewati data itu.
guard-action-pause = Run dijeda: disimpan lalu diakhiri. Lanjutkan dengan --resume setelah penyebabnya teratasi.
guard-action-stop = Run berhenti.
