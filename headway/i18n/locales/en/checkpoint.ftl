checkpoint-disk-full = A checkpoint must fit on the disk: it needs { BYTES($needed_bytes) } in { $folder }, and { BYTES($free_bytes) } are free. Nothing that was saved before is lost.
    .next = Free space or point --runs at a larger disk, then continue with `headway train RECIPE --resume`.
checkpoint-unwritable = The checkpoint folder must be writable: { $folder } could not be written ({ $reason }). Nothing that was saved before is lost.
    .next = Check the folder's permissions and that its file system is not mounted read-only.
checkpoint-all-damaged = A run resumes from a checkpoint that verifies: all { $count } in { $folder } are damaged.
    .next = Restore one from a copy, or start a new run under another name.
checkpoint-no-manifest = A checkpoint must have a complete manifest: { $path } has none ({ $reason }).
    .next = Resume from an earlier checkpoint; this folder may be removed.
checkpoint-version = A checkpoint must be of a known format: { $path } is of version { $found }, and this Headway reads version { $known }.
    .next = Use the version of Headway that wrote it, or a newer one. Where none did, and its manifest is damaged, remove the folder to go on from the checkpoint before.
# $reason (String): what is odd, in the file's own words
checkpoint-state-odd = A checkpoint's { $file } must say where the training stood: that of { $path } is whole, but says what no training wrote ({ $reason }).
    .next = Resume from an earlier checkpoint, or restore the file from a copy.
checkpoint-file-missing = A checkpoint must hold every file of its manifest: { $path } lacks { $file }.
    .next = Resume from an earlier checkpoint, or restore the file from a copy.
checkpoint-file-size = A checkpoint's files must be as they were written: { $file } in { $path } has { $found_bytes } bytes instead of { $expected_bytes }.
    .next = Resume from an earlier checkpoint, or restore the file from a copy.
checkpoint-file-checksum = A checkpoint's files must be as they were written: the checksum of { $file } in { $path } differs.
    .next = Resume from an earlier checkpoint, or restore the file from a copy; then check the disk.
checkpoint-file-unreadable = A checkpoint's files must be readable: { $file } in { $path } is not ({ $reason }).
    .next = Resume from an earlier checkpoint, or restore the file from a copy; then check the disk.
# $count (Number)
checkpoint-not-finite = A checkpoint must hold finite numbers: { $name } would have { $count } that are NaN or infinite. It was not written; earlier checkpoints stay.
    .next = Resume from the last checkpoint with a lower learning rate; where the loss was sound until then, check the memory of the device.
checkpoint-holds-nan = A checkpoint must hold finite numbers: { $name } in { $path } has some that are NaN or infinite.
    .next = Resume from an earlier checkpoint.
# $rank, $seconds (Number)
checkpoint-part-missing = Each process must write its part of a checkpoint: rank { $rank } had not after { DURATION($seconds) }. Earlier checkpoints stay.
    .next = See that all servers write to the same folder of runs, and look at the disk of that rank.
checkpoint-copy-failed = A checkpoint was not copied to { $location }: { $reason }. The checkpoint itself is safe, and the training goes on.
    .next = See that the place can be written and reached.
# $step (Number)
checkpoint-from-copy = No checkpoint in the run's folder is good: the training goes on from the copy of step { $step } in { $location }.
    .next = Look at the disk of the run's folder.
checkpoint-dtype = A checkpoint holds numbers of a known type: { $name } is of { $dtype }.
    .next = Convert it to one of: { $known }.
checkpoint-mismatch = A checkpoint must belong to the model that loads it: { $name } is { $found } in the checkpoint and { $expected } in the model.
    .next = Resume with the recipe that the run was started with.
