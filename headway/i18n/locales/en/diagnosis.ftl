### Why a training failed: errors of reading, notes, causes and remedies.

## Errors

# $path (String)
diagnosis-nothing-there = There must be a log to read, but { $path } is no file, no folder with logs, and no pattern that matches one.
    .next = Name a file, a folder, a pattern in quotes, or - to read what another command prints.
diagnosis-nothing-named = There must be a log to read, but none is named.
    .next = Name files or folders, for example: headway diagnose slurm-4711.out
# $file (String), $signature (String): may be empty, $key (String): the field, or what is wrong in English
diagnosis-signature-broken = Each signature must follow the rules of its table, but in { $file } the one named { $signature } breaks the rule of { $key }.
    .next = Compare it with the others in the same file; the fields are described in headway/diagnosis/signature.py.

## Notes: what could not be read

# $path (String), $reason (String): as the system says it
diagnosis-note-unreadable = { $path } cannot be read: { $reason }
# $path (String), $reason (String): from the library that unpacks, in English
diagnosis-note-damaged = { $path } is damaged, and was read until there: { $reason }
# $path (String)
diagnosis-note-no-text = { $path } holds no text, and was passed over.
# $path (String)
diagnosis-note-bomb = { $path } expands beyond all measure, and was read in part only.
# $path (String)
diagnosis-note-nested = { $path } lies too deep inside of other archives, and was passed over.

## The report

# $count (Number), $bytes (Number)
diagnosis-read = Read { $count ->
    [one] { $count } log
   *[other] { COUNT($count) } logs
}, { BYTES($bytes) }.
diagnosis-heading-first = Failed first
diagnosis-heading-evidence = What shows it
diagnosis-heading-then = What followed
diagnosis-heading-also = Also seen
diagnosis-heading-do = What to do
diagnosis-heading-numbers = Figures
diagnosis-heading-survived = Survived before
diagnosis-unsaid = That is a consequence; these logs do not say what was behind it.
# $confidence (Number): 0 to 1
diagnosis-sure = { PERCENT($confidence) } sure
# $rank (Number)
diagnosis-rank = rank { $rank }
# $host (String)
diagnosis-host = on { $host }
# $file (String), $line (Number)
diagnosis-place = { $file }:{ $line }
# $count (Number)
diagnosis-times = { $count ->
    [one] once
   *[other] { COUNT($count) } times
}
diagnosis-number-silent_seconds = Nothing followed the last step for
diagnosis-number-usual_step_seconds = Usual time between two steps
diagnosis-number-last_step = Last step seen
diagnosis-number-steps_lost = Steps since the last checkpoint, to be done again
diagnosis-number-last_checkpoint_step = Last checkpoint, at step
diagnosis-number-device_tried_bytes = Memory asked for
diagnosis-number-device_capacity_bytes = Memory of the device
diagnosis-number-device_free_bytes = Free then
diagnosis-number-device_allocated_bytes = Held by tensors
diagnosis-number-device_unallocated_bytes = Held by the allocator, and unused
diagnosis-number-planned_peak_bytes = Planned peak
diagnosis-number-planned_parts = Planned by part
diagnosis-number-change = A layout that is planned to fit
diagnosis-number-waiting_ranks = Ranks that waited
diagnosis-number-missing_ranks = Ranks that had not entered
diagnosis-number-operation = The operation that they waited in

diagnosis-column-id = Cause
diagnosis-column-area = Area
diagnosis-column-text = What it means

## Causes

diagnosis-cause-unknown = Nothing in these logs explains the failure.
diagnosis-cause-healthy = Nothing failed: the training went on, or came to its end.

diagnosis-cause-device-memory = The accelerator ran out of memory.
diagnosis-cause-device-memory-optimizer = The accelerator ran out of memory when the optimizer made or used its states.
diagnosis-cause-device-memory-logits = The accelerator ran out of memory in the loss: logits of all tokens over the whole vocabulary.
diagnosis-cause-device-memory-attention = The accelerator ran out of memory in attention that holds all scores.
diagnosis-cause-device-memory-evaluation = The accelerator ran out of memory in an evaluation.
diagnosis-cause-device-memory-checkpoint = The accelerator ran out of memory while a checkpoint was gathered.
diagnosis-cause-device-memory-load = The model does not fit in the accelerator's memory: it ran out while weights were loaded.
diagnosis-cause-device-memory-generation = The accelerator ran out of memory while text was generated: the cache of keys and values grew too large.
diagnosis-cause-device-memory-activations = The accelerator ran out of memory for activations, in the forward or backward pass.
diagnosis-cause-device-memory-fragmentation = The accelerator's memory was fragmented: enough was reserved, but in pieces too small.
diagnosis-cause-device-memory-others = The accelerator ran out of memory, of which another process held a part.
diagnosis-cause-device-memory-collectives = NCCL found no memory left on the accelerator for its own buffers.
diagnosis-cause-device-memory-cache-blocks = The accelerator has too little memory for the cache of keys and values at this context length.
diagnosis-cause-device-memory-kernel = A kernel asks for more registers or shared memory than this accelerator has.
diagnosis-cause-device-memory-tpu = The TPU ran out of memory when the program was compiled for it.
diagnosis-cause-device-memory-preallocated = The framework could not set up the accelerator's libraries: another process, or its own reservation, had taken the memory.

diagnosis-cause-host-memory-killer = The server ran out of memory, and the kernel killed the process.
diagnosis-cause-host-memory-limit = The job went over its memory limit, and was killed for it.
diagnosis-cause-host-memory-ray = Ray killed the worker because its node ran low on memory.
diagnosis-cause-host-memory-allocation = The server had no memory left for an allocation.
diagnosis-cause-fork-memory = The system refused another process or thread: a limit of processes or memory was reached.
diagnosis-cause-pinned-memory = Host memory could not be pinned for transfers to the accelerator.
diagnosis-cause-shared-memory = Shared memory (/dev/shm) was too small.
diagnosis-cause-data-worker-killed = A data-loading process was killed, most often for want of host memory.
diagnosis-cause-data-worker-died = A data-loading process ended without saying why.

diagnosis-cause-torchrun-summary = The launcher named the rank that failed first.
diagnosis-cause-child-failed = A worker process failed.
diagnosis-cause-killed = A process was killed (SIGKILL) from outside; most often for want of memory.
diagnosis-cause-terminated = A process was told to stop (SIGTERM).
diagnosis-cause-aborted = A process aborted.
diagnosis-cause-task-failed = A task of the job failed.
diagnosis-cause-ray-worker-died = A Ray worker died.
diagnosis-cause-pod-restarting = The pod failed again and again.
diagnosis-cause-training-ended = The training came to its end.
diagnosis-cause-world-size = The number of ranks.

diagnosis-cause-collective-timeout = Ranks waited for each other in a collective operation until the time-out.
diagnosis-cause-collective-aborted = The collective library ended the process after a failure elsewhere.
diagnosis-cause-peer-gone = Another rank was gone: its connection closed.
diagnosis-cause-nccl-system-error = NCCL failed in a call to the system or to CUDA.
diagnosis-cause-collective-mismatch = Ranks entered different collective operations, or the same with other sizes.
diagnosis-cause-rank-behind = A rank did not reach the collective operation that the others waited in.
diagnosis-cause-rank-silent = A rank fell silent, and the others waited for it in vain.
diagnosis-cause-hang = Training stood still without an error.
diagnosis-cause-save-outlasts-timeout = Saving a checkpoint took longer than the time-out of the collectives that waited for it.
diagnosis-cause-data-outlasts-timeout = Preparing data on one rank took longer than the time-out of the collectives that waited for it.
diagnosis-cause-nccl-version-mix = Ranks use different versions of NCCL, or one that does not match the framework.
diagnosis-cause-duplicate-device = Two ranks use the same accelerator.
diagnosis-cause-nccl-peer-access = Direct access between accelerators failed (P2P).
diagnosis-cause-nccl-bad-plugin = NCCL's network plugin failed, or does not match its version.

diagnosis-cause-gpu-lost = An accelerator was lost: it no longer answered on its bus.
diagnosis-cause-gpu-ecc-uncorrectable = An accelerator's memory had an error that could not be corrected (ECC).
diagnosis-cause-gpu-row-remap = An accelerator could not replace bad rows of its memory, or has to be reset to do so.
diagnosis-cause-nvlink-error = A link between accelerators failed (NVLink or NVSwitch).
diagnosis-cause-fabric-manager = The accelerators' switch is not set up: the fabric manager does not run or does not match the driver.
diagnosis-cause-cuda-launch-failure = A kernel failed on the accelerator, and the logs do not say why.
diagnosis-cause-gpu-thermal = A processor or accelerator became too hot and slowed down.
diagnosis-cause-gpu-power = An accelerator lacked power and slowed down.
diagnosis-cause-node-power = A server's power supply failed.
diagnosis-cause-pcie-error = The PCIe bus reported an error that could not be corrected.
diagnosis-cause-machine-check = The processor or host memory reported a hardware error.
diagnosis-cause-kernel-panic = The operating system of a server crashed or stood still.
diagnosis-cause-task-blocked = A process waited for the disk or network for minutes.
diagnosis-cause-disk-failed = A disk or its file system failed.
diagnosis-cause-nic-failed = A network card or its link failed.
diagnosis-cause-amd-gpu-failed = An AMD accelerator failed or was reset.
diagnosis-cause-tpu-failed = A TPU failed, could not start, or was held by another process.
diagnosis-cause-silent-corruption = A device computed wrong results without an error.
diagnosis-cause-straggler = One rank was slower than the others.
diagnosis-cause-throughput-loss = Training became slower.
diagnosis-cause-clock-jump = A server's clock was wrong or jumped.

diagnosis-cause-xid-1 = An unreadable command stream reached the accelerator (Xid 1).
diagnosis-cause-xid-6 = The accelerator met a command that it cannot read (Xid 6).
diagnosis-cause-xid-7 = The accelerator met an invalid address of commands (Xid 7).
diagnosis-cause-xid-8 = The accelerator stopped processing: a kernel ran too long or hung (Xid 8).
diagnosis-cause-xid-9 = The driver programmed the accelerator wrongly (Xid 9).
diagnosis-cause-xid-11 = The accelerator met a corrupted command stream (Xid 11).
diagnosis-cause-xid-12 = The driver failed while it handled an exception of the accelerator (Xid 12).
diagnosis-cause-xid-13 = A kernel raised an exception, most often an access out of bounds (Xid 13).
diagnosis-cause-xid-16 = The display engine hung (Xid 16).
diagnosis-cause-xid-18 = Bus mastering is off for the accelerator in its PCI settings (Xid 18).
diagnosis-cause-xid-19 = The display engine failed (Xid 19).
diagnosis-cause-xid-24 = A semaphore of the accelerator timed out (Xid 24).
diagnosis-cause-xid-25 = The accelerator met an illegal command buffer (Xid 25).
diagnosis-cause-xid-26 = The accelerator's frame buffer timed out (Xid 26).
diagnosis-cause-xid-30 = The accelerator could not access a semaphore (Xid 30).
diagnosis-cause-xid-31 = A kernel touched memory that is not mapped (Xid 31).
diagnosis-cause-xid-32 = The accelerator met a corrupted command buffer (Xid 32).
diagnosis-cause-xid-33 = A micro-controller of the accelerator failed (Xid 33).
diagnosis-cause-xid-37 = The accelerator's driver firmware failed (Xid 37).
diagnosis-cause-xid-38 = The accelerator's driver firmware failed (Xid 38).
diagnosis-cause-xid-39 = A copy engine of the accelerator raised an exception (Xid 39).
diagnosis-cause-xid-40 = A copy engine of the accelerator raised an exception (Xid 40).
diagnosis-cause-xid-41 = A copy engine of the accelerator raised an exception (Xid 41).
diagnosis-cause-xid-42 = A video engine of the accelerator raised an exception (Xid 42).
diagnosis-cause-xid-43 = A channel of the accelerator was reset after an error of the program (Xid 43).
diagnosis-cause-xid-44 = The accelerator failed while it changed between contexts (Xid 44).
diagnosis-cause-xid-45 = The driver cleaned up after earlier errors or a killed program (Xid 45).
diagnosis-cause-xid-46 = The accelerator stopped processing (Xid 46).
diagnosis-cause-xid-47 = A video engine of the accelerator raised an exception (Xid 47).
diagnosis-cause-xid-56 = The display engine failed (Xid 56).
diagnosis-cause-xid-57 = The accelerator's memory interface could not be set up (Xid 57).
diagnosis-cause-xid-58 = The accelerator's memory interface is unstable (Xid 58).
diagnosis-cause-xid-59 = A micro-controller of the accelerator failed (Xid 59).
diagnosis-cause-xid-60 = A video engine of the accelerator raised an exception (Xid 60).
diagnosis-cause-xid-61 = A micro-controller of the accelerator met a breakpoint (Xid 61).
diagnosis-cause-xid-62 = A micro-controller of the accelerator halted (Xid 62).
diagnosis-cause-xid-63 = The accelerator marked a bad page or row of its memory for replacement (Xid 63).
diagnosis-cause-xid-65 = A video engine of the accelerator raised an exception (Xid 65).
diagnosis-cause-xid-66 = The driver made an illegal access (Xid 66).
diagnosis-cause-xid-67 = The driver made an illegal access (Xid 67).
diagnosis-cause-xid-68 = A video decoder of the accelerator raised an exception (Xid 68).
diagnosis-cause-xid-69 = A kernel class raised an exception (Xid 69).
diagnosis-cause-xid-70 = A copy engine of the accelerator raised an exception (Xid 70).
diagnosis-cause-xid-71 = A copy engine of the accelerator raised an exception (Xid 71).
diagnosis-cause-xid-72 = A copy engine of the accelerator raised an exception (Xid 72).
diagnosis-cause-xid-73 = A video encoder of the accelerator raised an exception (Xid 73).
diagnosis-cause-xid-75 = A copy engine of the accelerator raised an exception (Xid 75).
diagnosis-cause-xid-76 = A copy engine of the accelerator raised an exception (Xid 76).
diagnosis-cause-xid-77 = A copy engine of the accelerator raised an exception (Xid 77).
diagnosis-cause-xid-78 = A virtual accelerator could not start (Xid 78).
diagnosis-cause-xid-80 = Corrupted data was sent to the accelerator (Xid 80).
diagnosis-cause-xid-81 = The VGA part of the accelerator failed (Xid 81).
diagnosis-cause-xid-82 = An image engine of the accelerator raised an exception (Xid 82).
diagnosis-cause-xid-83 = A video decoder of the accelerator raised an exception (Xid 83).
diagnosis-cause-xid-84 = A video decoder of the accelerator raised an exception (Xid 84).
diagnosis-cause-xid-85 = A copy engine of the accelerator raised an exception (Xid 85).
diagnosis-cause-xid-86 = The optical-flow engine of the accelerator raised an exception (Xid 86).
diagnosis-cause-xid-88 = A video decoder of the accelerator raised an exception (Xid 88).
diagnosis-cause-xid-89 = A video decoder of the accelerator raised an exception (Xid 89).
diagnosis-cause-xid-92 = The accelerator's memory has many single-bit errors, which were corrected (Xid 92).
diagnosis-cause-xid-93 = The accelerator's settings memory wears out (Xid 93).
diagnosis-cause-xid-94 = The accelerator's memory had an error that was contained: only the program that used it must end (contained ECC error) (Xid 94).
diagnosis-cause-xid-96 = A video decoder of the accelerator raised an exception (Xid 96).
diagnosis-cause-xid-97 = A video decoder of the accelerator raised an exception (Xid 97).
diagnosis-cause-xid-98 = A video decoder of the accelerator raised an exception (Xid 98).
diagnosis-cause-xid-99 = A video decoder of the accelerator raised an exception (Xid 99).
diagnosis-cause-xid-100 = A video decoder of the accelerator raised an exception (Xid 100).
diagnosis-cause-xid-101 = A video decoder of the accelerator raised an exception (Xid 101).
diagnosis-cause-xid-109 = The accelerator could not switch contexts in time (Xid 109).
diagnosis-cause-xid-110 = The accelerator reported a security fault (Xid 110).
diagnosis-cause-xid-119 = The accelerator's system processor (GSP) did not answer the driver in time (Xid 119).
diagnosis-cause-xid-120 = The accelerator's system processor (GSP) failed (Xid 120).
diagnosis-cause-xid-121 = The link between processor and accelerator (C2C) had an error (Xid 121).
diagnosis-cause-xid-122 = The accelerator's flash memory could not be read (Xid 122).
diagnosis-cause-xid-123 = The accelerator's flash memory could not be written (Xid 123).
diagnosis-cause-xid-124 = The accelerator's flash memory could not be erased (Xid 124).
diagnosis-cause-xid-125 = The file system in the accelerator's flash memory is damaged (Xid 125).
diagnosis-cause-xid-143 = The accelerator could not be initialised (Xid 143).
diagnosis-cause-xid-151 = The accelerator could not change its keys (Xid 151).
diagnosis-cause-xid-154 = The driver says how the accelerator is to be recovered (Xid 154).
diagnosis-cause-xid-156 = The accelerator took a bad part out of use (Xid 156).
diagnosis-cause-xid-157 = The accelerator could not take a bad part out of use (Xid 157).
diagnosis-cause-xid-158 = The accelerator met a fatal time-out (Xid 158).
diagnosis-cause-xid-159 = The bus between processor and accelerator had an error (Xid 159).
diagnosis-cause-xid-160 = The accelerator took a bad memory channel out of use (Xid 160).
diagnosis-cause-xid-161 = The accelerator could not take a bad memory channel out of use (Xid 161).
diagnosis-cause-xid-162 = The accelerator's power smoothing came back (Xid 162).
diagnosis-cause-xid-163 = The accelerator's power smoothing stopped (Xid 163).
diagnosis-cause-xid-166 = Encrypted traffic was seen before the link was set up (Xid 166).
diagnosis-cause-xid-167 = The PCIe link of the accelerator met a fatal time-out (Xid 167).
diagnosis-cause-xid-168 = The accelerator's protected memory holds errors (Xid 168).
diagnosis-cause-xid-169 = A micro-controller of the accelerator halted (Xid 169).

diagnosis-cause-driver-too-old = The accelerator's driver is older than the program needs.
diagnosis-cause-driver-mismatch = The driver in the kernel and its libraries have different versions.
diagnosis-cause-no-kernel-image = The program holds no code for this accelerator's generation.
diagnosis-cause-no-device = No accelerator was found.
diagnosis-cause-device-ordinal = A rank asked for an accelerator that the server does not have.
diagnosis-cause-library-symbol = Two libraries do not fit each other: a symbol or file is missing.
diagnosis-cause-module-missing = A Python package is missing or too old.
diagnosis-cause-api-mismatch = The program calls a library in a way that the installed version does not have.
diagnosis-cause-cudnn-cublas = cuBLAS or cuDNN failed.
diagnosis-cause-illegal-memory-access = A kernel read or wrote outside of its memory.
diagnosis-cause-compile-failed = Compiling a kernel or the model failed.
diagnosis-cause-cuda-toolkit-missing = The CUDA toolkit or a compiler is missing, or has the wrong version.

diagnosis-cause-nan-loss = The loss or a value of the model became NaN or infinite.
diagnosis-cause-nan-gradient = Gradients became NaN or infinite.
diagnosis-cause-loss-scale-minimum = The fp16 loss scale fell to its minimum: gradients overflowed at every scale.
diagnosis-cause-loss-spike = The loss jumped up.
diagnosis-cause-fp16-unscale = Weights that are trained are fp16 themselves, which loss scaling does not allow.
diagnosis-cause-no-gradient = Nothing that the loss depends on is trained.

diagnosis-cause-network-retries = The InfiniBand or RoCE network lost packets until a connection gave up.
diagnosis-cause-network-interface = No network interface fits what the collective library was told to use.
diagnosis-cause-network-unreachable = A server could not be reached from another one.
diagnosis-cause-network-registration = The network card could not register memory for its transfers; most often the limit of locked memory is too low.
diagnosis-cause-network-gid = Two network cards could not agree on an address (RoCE GID).
diagnosis-cause-rendezvous-failed = The ranks did not find each other at the start.
diagnosis-cause-name-resolution = A host name could not be resolved.
diagnosis-cause-port-taken = The port was in use by another process.

diagnosis-cause-token-out-of-range = A token or position lies outside of the embedding table.
diagnosis-cause-label-out-of-range = A label lies outside of the classes.
diagnosis-cause-cuda-assert-symptom = A check inside of a kernel failed, most often an index that is out of range.
diagnosis-cause-bad-row = A file of data holds a row that cannot be read.
diagnosis-cause-bad-encoding = A file of data is not in the expected encoding (UTF-8).
diagnosis-cause-missing-column = The data lacks a column that training needs, or names it otherwise.
diagnosis-cause-empty-data = The data set is empty, or too small for one batch.
diagnosis-cause-data-missing = The data does not lie where the program looks.
diagnosis-cause-ragged-batch = Sequences of different lengths were put in one batch.
diagnosis-cause-no-padding-token = The tokenizer has no padding token.
diagnosis-cause-chat-template = The tokenizer has no chat template, or a conversation does not fit it.
diagnosis-cause-sequence-too-long = A sequence is longer than the model or the program allows.
diagnosis-cause-index-cache = A prepared data file and its index do not belong together.
diagnosis-cause-data-stall = Training waited for data.

diagnosis-cause-configuration-divisible = Two sizes of the configuration do not divide.
diagnosis-cause-configuration-world-size = The number of ranks does not fit the configuration.
diagnosis-cause-wrong-argument = An argument or a setting of the configuration is wrong.
diagnosis-cause-shape-mismatch = Two tensors have shapes that do not fit.
diagnosis-cause-wrong-device = A tensor lies on another device than the ones it is used with.
diagnosis-cause-wrong-dtype = A tensor has another number format than the operation takes.
diagnosis-cause-unused-parameters = Some parameters took no part in the loss, and gradient reduction waited for them.
diagnosis-cause-recompute-mismatch = The recomputed forward pass differed from the first one.
diagnosis-cause-in-place-change = A tensor that the backward pass needs was changed or freed.
diagnosis-cause-launch-environment = The program was started without its launcher, or initialised twice.
diagnosis-cause-adapter-targets = The adapters (LoRA) do not fit the model.
diagnosis-cause-fsdp-wrapping = Sharded data parallelism does not fit how the model is wrapped.
diagnosis-cause-pipeline-split = The pipeline's stages or micro-batches do not fit.
diagnosis-cause-attention-kernel = The attention kernel that was asked for cannot run here.
diagnosis-cause-unknown-model = The library does not know this model.
diagnosis-cause-batch-too-large-for-data = A batch is larger than the data set.

diagnosis-cause-checkpoint-truncated = A checkpoint or weight file is damaged or was cut off.
diagnosis-cause-checkpoint-shapes = A checkpoint's weights have other shapes than the model.
diagnosis-cause-checkpoint-keys = A checkpoint's names do not match the model's.
diagnosis-cause-checkpoint-fields = The checkpoint lacks something that the program reads from it.
diagnosis-cause-checkpoint-missing = The checkpoint or weight file does not lie where the program looks.
diagnosis-cause-checkpoint-world-size = The checkpoint was written by another number of ranks, and this program cannot divide it anew.
diagnosis-cause-checkpoint-unsafe = The checkpoint holds objects that may not be loaded safely.
diagnosis-cause-checkpoint-saved = A checkpoint was saved.
diagnosis-cause-checkpoint-nan = The checkpoint itself holds NaN.
diagnosis-cause-checkpoint-optimizer-lost = The optimizer's states were not loaded.

diagnosis-cause-disk-full = The disk is full.
diagnosis-cause-inodes-full = The file system has no room for another file (inodes).
diagnosis-cause-quota = The disk quota is used up.
diagnosis-cause-read-only = The file system is read-only.
diagnosis-cause-nfs-stale = The network file system lost a file that was open (stale handle).
diagnosis-cause-nfs-silent = The network file system did not answer.
diagnosis-cause-input-output-error = Reading or writing a file failed on the device.
diagnosis-cause-too-many-files = The process had too many files open.
diagnosis-cause-file-too-large = A file or its name is larger than the file system allows.
diagnosis-cause-object-store = The object store refused or failed a request.

diagnosis-cause-time-limit = The job reached its time limit.
diagnosis-cause-preempted = The job was preempted.
diagnosis-cause-node-failed = A server of the job failed.
diagnosis-cause-evicted = Kubernetes evicted the pod, whose node lacked a resource.
diagnosis-cause-unschedulable = The scheduler found no server with what the job asks for.
diagnosis-cause-launch-failed = The scheduler could not start the job's processes.
diagnosis-cause-image-pull = The container image could not be fetched.
diagnosis-cause-mount-failed = A volume could not be mounted.
diagnosis-cause-probe-failed = Kubernetes restarted the container because a health check failed.
diagnosis-cause-job-cancelled = Somebody cancelled the job.
diagnosis-cause-user-stopped = Somebody stopped the program (Ctrl-C).
diagnosis-cause-terminal-closed = The terminal that the program ran in was closed.

diagnosis-cause-gated-model = The model may only be loaded by those whom its owner admits.
diagnosis-cause-token-invalid = The access token is missing, wrong or expired.
diagnosis-cause-repository-missing = There is no model or data set of this name.
diagnosis-cause-permission = The process may not read or write a file.
diagnosis-cause-ssh-refused = The launcher could not log in to a server (SSH).
diagnosis-cause-access-denied-store = The object store does not allow the access.
diagnosis-cause-rate-limited = A service refused more requests for now.
diagnosis-cause-hub-unreachable = A service on the internet could not be reached.
diagnosis-cause-certificate = A secure connection failed: certificate or proxy.

diagnosis-cause-model-file-missing = The model file does not lie where the server looks.
diagnosis-cause-model-file-damaged = The model file is damaged, cut off, or of a version that the engine does not read.
diagnosis-cause-model-architecture-unknown = The engine does not know this model's architecture or number format.
diagnosis-cause-model-mapping-failed = The model or its cache could not be placed in memory.
diagnosis-cause-memory-not-locked = The model could not be locked in memory.
diagnosis-cause-illegal-instruction = The program uses instructions that this processor does not have.
diagnosis-cause-context-exceeded = A prompt is longer than the context.
diagnosis-cause-model-load-failed = The engine could not load the model.
diagnosis-cause-engine-died = The serving engine died.

diagnosis-cause-uncaught-exception = The program raised an exception.
diagnosis-cause-headway-refused = Headway ended the run with an error that says why.
diagnosis-cause-segfault = The process crashed in native code (segmentation fault).
diagnosis-cause-bus-error = The process lost memory that it had mapped (bus error): shared memory or a file behind it was gone.
diagnosis-cause-heap-corrupted = Native code corrupted the process's memory.
diagnosis-cause-deadlock = Processes were forked where threads or CUDA were already in use.
diagnosis-cause-recursion = The program called itself without end.
diagnosis-cause-syntax-error = The program is no valid Python, or its file is not there.

## Remedies

diagnosis-remedy-acs-off = Switch off PCIe access control (ACS) in the firmware, or set NCCL_P2P_DISABLE=1 to see whether it is the reason.
diagnosis-remedy-adapters-on-quantised = Train adapters on the quantised model, not the model itself.
diagnosis-remedy-add-host-memory = Use a server with more memory, or fewer processes on this one.
diagnosis-remedy-allow-known-classes = If you trust the file, allow its classes with torch.serialization.add_safe_globals.
diagnosis-remedy-allow-model-code = Read the model's own code, and pass trust_remote_code=True if you trust it.
diagnosis-remedy-allow-outbound = Let the servers reach the service, or set HTTPS_PROXY.
diagnosis-remedy-ask-for-access = Ask for access on the model's page, with the account that the token belongs to.
diagnosis-remedy-ask-who-stopped = Find out who or what stopped it; nothing here points to a fault.
diagnosis-remedy-asynchronous-checkpoint = Save checkpoints asynchronously, so that no rank waits for the disk.
diagnosis-remedy-back-to-checkpoint = Go back to a checkpoint from before it, and skip the data that followed.
diagnosis-remedy-blocking-launch = Run once with CUDA_LAUNCH_BLOCKING=1: the traceback then names the operation.
diagnosis-remedy-build-for-device = Install a build that includes this accelerator's architecture (TORCH_CUDA_ARCH_LIST when you build).
diagnosis-remedy-build-for-driver = Install a build for the CUDA version that the driver supports.
diagnosis-remedy-build-for-processor = Install or build the program for this processor's instruction set.
diagnosis-remedy-check-cable = Check the cable, the port and its error counters, on both ends.
diagnosis-remedy-check-checkpoint-path = Check the path, and that it is visible on every server.
diagnosis-remedy-check-container = Start the container with access to the accelerators (--gpus all, or the runtime class of your cluster).
diagnosis-remedy-check-data = Look at the batch at that step for empty, broken or extreme rows.
diagnosis-remedy-check-data-paths = Check the paths and patterns of the data, on every server.
diagnosis-remedy-check-devices = Run nvidia-smi -L (or rocm-smi), and check CUDA_VISIBLE_DEVICES.
diagnosis-remedy-check-fabric = Check the switches' and links' error counters (ibdiagnet, nvidia-smi nvlink -e).
diagnosis-remedy-check-file-system = Check the file system and its server: free space, load, and what the kernel says.
diagnosis-remedy-check-filters = Check the filters and the sequence length: they may drop every row.
diagnosis-remedy-check-frozen = Check that some parameters have requires_grad=True.
diagnosis-remedy-check-image = Check the image's name, its tag, and the right to fetch it.
diagnosis-remedy-check-labels = Check that labels lie below the number of classes, and that ignored ones are -100.
diagnosis-remedy-check-model-name = Check the model's name for typing errors.
diagnosis-remedy-check-model-path = Check the model file's path and its rights.
diagnosis-remedy-check-object-store = Check the bucket, the key and the service's state, and retry with back-off.
diagnosis-remedy-check-overcommit = Check vm.overcommit_memory and ulimit -v.
diagnosis-remedy-check-owner = Check the owner and rights of the path, and the user of the container.
diagnosis-remedy-check-positions = Check that sequences are not longer than max_position_embeddings.
diagnosis-remedy-check-power = Check the power supplies and cables of the server.
diagnosis-remedy-check-rendezvous = Check that all servers name the same address and port, and that each starts its processes in time.
diagnosis-remedy-check-row-remapping = Look at nvidia-smi -q -d ROW_REMAPPER; replace the device when remapping fails.
diagnosis-remedy-check-rows = Look at the file and line that the message names, and mend it.
diagnosis-remedy-check-scheduler = Ask the scheduler: sacct -j JOB, kubectl describe pod, or its log.
diagnosis-remedy-checkpoint-before = Resume from the checkpoint before this one.
diagnosis-remedy-chunked-loss = Compute the loss in chunks of tokens, so that logits are never held whole.
diagnosis-remedy-clip-gradients = Clip the norm of gradients, to 1.0 for a start.
diagnosis-remedy-collect-all-ranks = Collect the logs of all ranks and nodes: this one shows a consequence only.
diagnosis-remedy-collect-core = Keep a core file (ulimit -c unlimited), and read its backtrace with gdb.
diagnosis-remedy-collect-kernel-log = Add the kernel's log of each server: dmesg -T, or journalctl -k.
diagnosis-remedy-collect-longer = Add what was written before: the first error is often far above the last.
diagnosis-remedy-collect-pod-log = Add kubectl logs --previous and kubectl describe of the pod.
diagnosis-remedy-compute-sanitizer = Run a short example under compute-sanitizer.
diagnosis-remedy-convert-again = Convert the model again with a converter and an engine of the same version.
diagnosis-remedy-cool-the-node = Check airflow, fans and inlet temperature of that server.
diagnosis-remedy-data-without-workers = Load data without worker processes (num_workers=0) to see its real error.
diagnosis-remedy-degrees-times-world = Let the product of all parallel degrees be the number of ranks.
diagnosis-remedy-detach-from-terminal = Start it with nohup, tmux or the scheduler, so that it outlives the terminal.
diagnosis-remedy-distributed-debug = Run with TORCH_DISTRIBUTED_DEBUG=DETAIL: it names the ranks and operations that differ.
diagnosis-remedy-download-again = Fetch the file again, and compare its checksum.
diagnosis-remedy-download-first = Fetch models and data beforehand to a path that all servers see, then set HF_HUB_OFFLINE=1.
diagnosis-remedy-drain-node = Take that server out of service, and go on without it.
diagnosis-remedy-error-file = Decorate the main function with torch.distributed.elastic.multiprocessing.errors.record, so that the launcher shows its traceback.
diagnosis-remedy-evaluation-without-logits = Let the evaluation keep the loss only, not the logits (prediction_loss_only=True).
diagnosis-remedy-expandable-segments = Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.
diagnosis-remedy-extend-positions = Raise max_position_embeddings with a RoPE scaling that the model was trained for.
diagnosis-remedy-fault-handler = Run with PYTHONFAULTHANDLER=1: it prints where each thread was.
diagnosis-remedy-fewer-checkpoints = Keep fewer checkpoints, or write them elsewhere.
diagnosis-remedy-fewer-communicators = Use fewer process groups, or a smaller NCCL_BUFFSIZE.
diagnosis-remedy-fewer-data-workers = Use fewer data-loading processes, or a smaller prefetch.
diagnosis-remedy-fewer-files = Delete or pack small files: df -i shows how many there are.
diagnosis-remedy-fewer-requests = Send fewer requests at once, and cache what was fetched.
diagnosis-remedy-fewer-threads = Use fewer threads a process (OMP_NUM_THREADS).
diagnosis-remedy-fewer-workers-per-node = Put fewer workers on each node, or give each more memory.
diagnosis-remedy-file-system-sharing = Call torch.multiprocessing.set_sharing_strategy("file_system").
diagnosis-remedy-find-unused = Set find_unused_parameters=True, or leave out the parameters that take no part.
diagnosis-remedy-fix-argument = Correct the setting that the message names.
diagnosis-remedy-fix-host-names = Check /etc/hosts or DNS on every server, or use addresses.
diagnosis-remedy-fix-network-plugin = Install the network plugin that belongs to this version of NCCL, or set NCCL_NET_PLUGIN=none.
diagnosis-remedy-fix-ssh = Let the launcher log in to every server without a password.
diagnosis-remedy-flight-recorder = Set TORCH_NCCL_TRACE_BUFFER_SIZE=20000 and TORCH_NCCL_DUMP_ON_TIMEOUT=1, and diagnose the dumps of all ranks.
diagnosis-remedy-fp32-trainable-weights = Keep the weights that are trained in fp32, or train in bf16.
diagnosis-remedy-free-disk = Free space on that disk, or write to another one.
diagnosis-remedy-free-the-device = Stop the other process that holds the device (nvidia-smi, or lsof /dev/accel0).
diagnosis-remedy-fused-attention = Use fused attention (flash or scaled_dot_product_attention), which never holds all scores.
diagnosis-remedy-gather-to-host = Gather the checkpoint in host memory, a shard at a time.
diagnosis-remedy-gid-index = Set NCCL_IB_GID_INDEX to the RoCE v2 entry that show_gids lists on all servers.
diagnosis-remedy-inputs-require-gradients = Call model.enable_input_require_grads() when you recompute below frozen layers.
diagnosis-remedy-inputs-to-device = Move the inputs, or the module, to the same device.
diagnosis-remedy-install-device-build = Install the build of the framework for your accelerator.
diagnosis-remedy-install-package = Install the package that the message names, in the environment of every server.
diagnosis-remedy-install-toolkit = Install the CUDA toolkit and compiler that match the framework, and set CUDA_HOME.
diagnosis-remedy-iommu-passthrough = Set iommu=pt on the kernel's command line.
diagnosis-remedy-kernel-for-this-device = Choose a kernel that this accelerator has, such as attn_implementation="sdpa".
diagnosis-remedy-larger-shm = Give the container more shared memory (--ipc=host, or --shm-size=64g).
diagnosis-remedy-leave-room-for-collectives = Leave one to two GiB of the device free for NCCL's buffers.
diagnosis-remedy-less-host-memory = Hold less in host memory: stream the data, offload less, load weights on one rank at a time.
diagnosis-remedy-less-pinned-memory = Pin less memory (pin_memory=False, smaller offload buffers).
diagnosis-remedy-less-preallocation = Set XLA_PYTHON_CLIENT_MEM_FRACTION lower, or let TensorFlow grow its memory as it needs it.
diagnosis-remedy-load-optimizer-too = Load the optimizer's states together with the weights.
diagnosis-remedy-log-in = Log in again (hf auth login, aws configure, wandb login), and pass the token to every server.
diagnosis-remedy-log-of-that-rank = Look at that rank's own log and its server's kernel log: it failed first, or never started.
diagnosis-remedy-longer-collective-timeout = Pass a longer timeout to init_process_group, for as long as the slow part takes.
diagnosis-remedy-longer-context = Start the server with a longer context, if memory allows.
diagnosis-remedy-longer-fabric-timeout = Raise NCCL_IB_TIMEOUT to 22 to outlast short faults of the network.
diagnosis-remedy-longer-log = Start it once more with its most talkative log level.
diagnosis-remedy-longer-probe = Give the health check more time to start, or another port than the training's.
diagnosis-remedy-longer-time-limit = Ask for a longer time limit, or resume in a chain of jobs.
diagnosis-remedy-lower-learning-rate = Lower the learning rate, or lengthen the warm-up.
diagnosis-remedy-match-config = Use the configuration that the checkpoint was made with.
diagnosis-remedy-match-vocabulary = Let the embedding have at least as many rows as the tokenizer has tokens (resize_token_embeddings).
diagnosis-remedy-more-data-workers = Use more data-loading processes, or prepare the data beforehand.
diagnosis-remedy-more-memory-for-cache = Raise gpu_memory_utilization, or use a smaller number format for the cache.
diagnosis-remedy-mount-storage = Check that the storage is mounted at that path on every server.
diagnosis-remedy-name-columns = Name the columns as the trainer expects them, or tell it their names.
diagnosis-remedy-name-target-modules = Name modules that this model has (q_proj, v_proj, ... ; print the model to see them).
diagnosis-remedy-name-the-interface = Set NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME to the interface that joins the servers.
diagnosis-remedy-narrow-optimizer = Use an optimizer with 8-bit or bf16 states.
diagnosis-remedy-nccl-debug = Run with NCCL_DEBUG=INFO, and diagnose that log.
diagnosis-remedy-newer-library = Update the library: newer versions know more models.
diagnosis-remedy-no-cache-while-training = Set use_cache=False while training.
diagnosis-remedy-no-in-place = Replace the operation that changes the tensor, or call backward once only.
diagnosis-remedy-numbers-that-divide = Change one of the two numbers, so that they divide; `headway plan` lists layouts that do.
diagnosis-remedy-offload-optimizer = Keep the optimizer's states in host memory.
diagnosis-remedy-one-dtype = Use one number format for the model and its inputs, or autocast around them.
diagnosis-remedy-one-rank-per-device = Start one process for each accelerator, and let each see its own.
diagnosis-remedy-open-firewall = Open the ports between the servers, and check that they can ping each other.
diagnosis-remedy-other-kernel = Try another kernel for that operation, or another version of its library.
diagnosis-remedy-other-port = Choose another port (--master-port, or 0 for any that is free).
diagnosis-remedy-pad-or-pack = Pad or pack sequences to one length in the collator.
diagnosis-remedy-peer-access-off = Set NCCL_P2P_DISABLE=1 to go around it, and test the links.
diagnosis-remedy-plan-layout = Let `headway plan` choose a layout that is legal for this model and number of devices.
diagnosis-remedy-plan-memory = Ask `headway plan` what this configuration needs, part by part, and which layout fits.
diagnosis-remedy-plan-storage = Ask `headway plan` how much the checkpoints will take.
diagnosis-remedy-prepare-data-first = Prepare the data once, before the ranks start.
diagnosis-remedy-quantised-base = Load the frozen weights in 4 or 8 bits.
diagnosis-remedy-raise-file-limit = Raise the limit of open files (ulimit -n 1048576).
diagnosis-remedy-raise-memlock = Raise the limit of locked memory (ulimit -l unlimited; in a container --ulimit memlock=-1).
diagnosis-remedy-raise-memory-limit = Ask for more memory (--mem, or the container's limit).
diagnosis-remedy-raise-process-limit = Raise the limit of processes (ulimit -u, or pids.max of the container).
diagnosis-remedy-raise-quota = Ask for a larger quota.
diagnosis-remedy-ranks-as-devices = Start no more processes on a server than it has accelerators, and use the local rank as device.
diagnosis-remedy-re-encode = Convert the file to UTF-8.
diagnosis-remedy-read-traceback = Read the traceback at the place given: its last frames in your own code name the line.
diagnosis-remedy-read-headway-error = Read the error, which names the rule, the value and the next step: it stands where `headway train` ran, and in the run's events.jsonl.
diagnosis-remedy-rebuild-extension = Rebuild or reinstall the extension against the installed framework.
diagnosis-remedy-rebuild-index = Delete the cached index, and build it again.
diagnosis-remedy-recompute = Recompute activations (gradient checkpointing).
diagnosis-remedy-recompute-same-forward = Make the forward pass the same each time: random states, caches, and numbers that depend on time.
diagnosis-remedy-recompute-without-reentry = Recompute with use_reentrant=False.
diagnosis-remedy-recreate-slice = Delete and create the TPU slice again.
diagnosis-remedy-reload-driver = Reboot, or reload the driver's modules, so that kernel and libraries agree.
diagnosis-remedy-remount = Mount the file system again, and ask its administrator what happened.
diagnosis-remedy-replace-device = Have the device replaced.
diagnosis-remedy-replace-disk = Have the disk replaced.
diagnosis-remedy-request-less = Ask for what some server has: fewer devices, less memory, another queue.
diagnosis-remedy-request-resources = State the resources that the pod really needs, disk included.
diagnosis-remedy-requeue = Let the scheduler start the job again, and resume from the last checkpoint.
diagnosis-remedy-reseat-device = Have the device and its risers reseated.
diagnosis-remedy-reset-or-reboot = Reset the device (nvidia-smi --gpu-reset) or reboot the server, then test it.
diagnosis-remedy-reshard-checkpoint = Convert the checkpoint to one that any number of ranks can load.
diagnosis-remedy-restore-copy = Restore the file from its copy.
diagnosis-remedy-same-builds = Install builds that were made for each other: framework, CUDA, extensions.
diagnosis-remedy-same-order-on-all-ranks = Let all ranks call the same collectives in the same order; look for branches on the rank.
diagnosis-remedy-same-versions-everywhere = Install the same versions on all servers, from one lock file or image.
diagnosis-remedy-same-world-size = Resume with the number of ranks that wrote it.
diagnosis-remedy-save-on-signal = Let the scheduler send a signal before it stops the job, and save a checkpoint then.
diagnosis-remedy-set-chat-template = Set a chat template that fits the conversations.
diagnosis-remedy-set-device-first = Call torch.cuda.set_device(local_rank) before init_process_group.
diagnosis-remedy-set-padding-token = Set the tokenizer's padding token.
diagnosis-remedy-shard-at-load = Load weights shard by shard on each rank, never whole on one device.
diagnosis-remedy-shard-more = Divide the model over more devices (FSDP or ZeRO-3, tensor or pipeline parallel).
diagnosis-remedy-shard-optimizer = Divide the optimizer's states over the ranks (ZeRO-1 or more).
diagnosis-remedy-sharded-checkpoint = Save sharded checkpoints, each rank its own part.
diagnosis-remedy-shorter-context = Ask for a shorter context (max_model_len).
diagnosis-remedy-shorter-prompt = Shorten the prompt.
diagnosis-remedy-shorter-sequence = Use shorter sequences, or context parallelism.
diagnosis-remedy-skip-bad-rows = Let bad rows be skipped and counted.
diagnosis-remedy-smaller-evaluation-batch = Use a smaller batch for evaluation.
diagnosis-remedy-smaller-generation = Generate fewer sequences at once, or shorter ones.
diagnosis-remedy-smaller-kernel-blocks = Choose smaller block sizes or fewer stages for the kernel.
diagnosis-remedy-smaller-micro-batch = Halve the micro-batch, and accumulate twice as many.
diagnosis-remedy-smaller-quantisation = Use a smaller quantisation of the model.
diagnosis-remedy-spawn-workers = Start processes with the "spawn" method.
diagnosis-remedy-stacks-of-all-ranks = Take the stacks of all ranks while it stands still (py-spy dump --pid PID).
diagnosis-remedy-stacks-of-that-rank = Take the stack of that rank while the others wait (py-spy dump --pid PID).
diagnosis-remedy-start-fabric-manager = Start the fabric manager, in the driver's version.
diagnosis-remedy-start-with-launcher = Start it with torchrun, accelerate launch, srun or the like.
diagnosis-remedy-stop-left-over = Stop processes that an earlier run left behind.
diagnosis-remedy-strip-prefix = Compare the names: a prefix such as module. or _orig_mod. may have to go.
diagnosis-remedy-synchronise-clocks = Synchronise the servers' clocks.
diagnosis-remedy-test-device = Test that device by itself (dcgmi diag -r 3, or a matrix product that is compared).
diagnosis-remedy-test-host-memory = Test the server's memory, and replace the module that the log names.
diagnosis-remedy-trust-certificate = Install your proxy's certificate, and set REQUESTS_CA_BUNDLE.
diagnosis-remedy-update-driver = Update the driver.
diagnosis-remedy-verify-checkpoints = Verify the other checkpoints before you need them.
diagnosis-remedy-wait-for-devices = Wait, or ask another queue.
diagnosis-remedy-weights-as-safetensors = Convert the weights to safetensors.
diagnosis-remedy-wider-precision = Train in bf16, or keep the parts that overflow in fp32.
diagnosis-remedy-without-compile = Run without compilation to see whether the model itself is right.
diagnosis-remedy-wrap-by-layer = Wrap by transformer layer, all parameters of one wrap being trained or frozen alike.
diagnosis-remedy-writable-path = Write to a path that the process may write to.
