### Yang dikatakan supervisor sebuah job.

supervisor-attempt-started = Percobaan { $attempt }.
supervisor-attempt-finished = Selesai setelah { DURATION($seconds) }.
supervisor-attempt-stopped = Dihentikan sesuai sinyal { $signal }.
supervisor-attempt-failed = { $cause } (keyakinan { PERCENT($confidence) })
supervisor-hang = Tidak ada langkah selama { DURATION($silent_seconds) }: job macet dan akan diakhiri.
supervisor-retrying = Dimulai lagi dalam { DURATION($wait_seconds) }.
supervisor-gave-up = { $reason ->
    [lasting] Tidak dimulai lagi: penyebabnya akan tetap ada pada percobaan berikutnya.
    [repeated] Tidak dimulai lagi: hal yang sama terjadi dua kali di langkah yang sama.
   *[retries] Tidak dimulai lagi: jumlah percobaan yang diizinkan sudah habis.
}
supervisor-explained = Kisah lengkapnya: headway diagnose { $path }
supervisor-no-command = Harus ada perintah untuk dijalankan, tetapi tidak ada setelah opsi.
    .next = Tulis setelah dua tanda hubung, misalnya: headway run -- torchrun train.py
