run-name-invalid = Nama run harus diawali huruf atau angka dan hanya berisi huruf, angka, titik, tanda hubung, dan garis bawah: "{ $name }" tidak memenuhinya.
    .next = Beri nama lain dengan --name.
run-exists = Nama run harus baru: { $root } sudah berisi run "{ $name }".
    .next = Lanjutkan dengan --resume atau beri nama lain dengan --name.
run-unknown = Hanya run yang ada yang dapat dibuka: di { $root } tidak ada yang bernama "{ $name }".
    .next = { $known ->
        [none] Mulai dengan `headway train RECIPE`.
       *[other] { $closest ->
            [none] Run yang ada: { $known }.
           *[other] Maksud Anda "{ $closest }"? Run yang ada: { $known }.
        }
    }
run-unwritable = Folder run harus dapat ditulisi: { $path } tidak dapat ditulis ({ $reason }).
    .next = Periksa izin dan ruang kosongnya atau pilih folder lain dengan --runs.
run-locked = Satu run hanya untuk satu proses pada satu waktu: proses lain sedang melatih "{ $name }".
    .next = Tunggu, hentikan, atau mulai run dengan nama lain.
run-file-damaged = Berkas run harus dapat dibaca: { $path } tidak dapat dibaca ({ $reason }).
    .next = Pulihkan berkas dari salinan atau mulai run baru.
run-recipe-changed = Run yang dilanjutkan harus memakai resep awalnya: { $sections } berubah sejak "{ $name }" dimulai.
    .next = Batalkan perubahan atau mulai run baru tanpa --resume.
run-steps-done = Run yang dilanjutkan tidak dapat berakhir sebelum langkah yang sudah dikerjakan: "{ $name }" sudah mengerjakan { $done }, dan resep meminta { $steps }.
    .next = Atur training.steps menjadi { $done } atau lebih, atau mulai run baru tanpa --resume.
run-data-changed = Run yang dilanjutkan harus memakai teks awalnya: isi berkas [data] berubah sejak "{ $name }" dimulai.
    .next = Pulihkan teksnya atau mulai run baru tanpa --resume.
run-nothing-to-resume = Hanya run yang ada yang dapat dilanjutkan: di { $root } tidak ada run untuk resep "{ $name }".
    .next = Mulai tanpa --resume.
run-base-changed = Run harus dilanjutkan dengan bobot awalnya: bobot di { $folder } bukan pasangan adapter milik "{ $name }".
    .next = Kembalikan bobot sebelumnya ke sana atau mulai run baru.
run-output-exists = Model ditulis ke folder baru agar tidak ada yang tertimpa: { $path } sudah ada.
    .next = Sebutkan folder lain dengan --output atau pindahkan yang ada.
run-output-unwritable = Folder untuk model harus dapat dibuat: { $path } tidak dapat dibuat ({ $reason }).
    .next = Sebutkan folder lain dengan --output atau kosongkan ruang di sana.
run-no-checkpoint = Run harus memiliki checkpoint: "{ $name }" belum punya.
    .next = Tunggu checkpoint pertamanya atau lanjutkan pelatihan dengan --resume.
run-no-best = Checkpoint terbaik adalah yang loss validasinya terendah, dan { $name } tidak punya yang sudah dievaluasi.
    .next = Gunakan yang terbaru atau latih dengan training.evaluate_every_steps dan resilience.keep_best.
run-step-twice = Checkpoint hanya dipilih sekali: langkah { $step } atau yang terbaik.
    .next = Hilangkan --step atau --best.
run-no-such-step = Checkpoint harus ada di run: "{ $name }" tidak punya untuk langkah { NUMBER($step, useGrouping: 0) }.
    .next = { $known ->
        [none] Belum ada sama sekali; tunggu yang pertama atau lanjutkan pelatihan dengan --resume.
       *[other] Yang ada adalah untuk langkah { $known }.
    }
run-checkpoints-gone = Run harus memiliki checkpoint: yang pernah disimpan "{ $name }" sudah tidak ada.
    .next = Kembalikan dari salinan atau latih lagi dari awal dengan --resume.
run-no-metrics = Run harus sudah berlatih setidaknya satu langkah: "{ $name }" belum.
    .next = Mulai atau lanjutkan run itu dahulu.
run-plot-format = Nama berkas gambar harus berakhiran salah satu dari { $known }: { $path } tidak demikian.
    .next = Beri nama seperti loss.png.
run-plot-missing = Gambar memerlukan paket { $package }, yang belum terpasang.
    .next = Di folder kode sumber Headway, jalankan `pip install ".[torch]"`.
run-plot-loss = loss (nat per token)
run-plot-speed = token per detik
run-plot-step = langkah optimizer
run-plot-validation = { $name }, validasi
run-no-scheduler = Job diserahkan lewat program milik penjadwal: { $program } tidak dapat dijalankan ({ $reason }).
    .next = Tulis job dengan --output lalu serahkan di tempat { $program } terpasang.
