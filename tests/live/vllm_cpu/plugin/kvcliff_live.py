# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin for tests: gives the CPU build of vLLM (0.32) a second tier that really copies.

vLLM refuses its host tier on a CPU for one reason: the part that moves bytes needs a GPU's streams. Only that part is replaced
here. Which blocks are looked up, stored, evicted and counted stays the engine's own, so what its counters say can judge our rules.

The engine finds this folder by PYTHONPATH and the entry point beside this file; nothing is installed or changed on disk.
    KVCLIFF_LIVE_BLOCK16=1       let the CPU's attention take blocks of 16 tokens: its kernel can, its list says 32
    KVCLIFF_LIVE_LINK=BYTES      a link of so many bytes a second (default: as fast as memory)
    KVCLIFF_LIVE_HANG=start      the engine core never finishes loading
    KVCLIFF_LIVE_HANG=stop       the API server never ends once it was told to
"""
import atexit
import multiprocessing
import os
import sys
import time

import numpy


def copier_class():
    # Late: importing vLLM while its plugins are being listed would go round in a circle.
    import torch
    from vllm.v1.kv_offload.base import OffloadingWorker, TransferResult

    class HostCopier(OffloadingWorker):
        """Moves pages between the engine's cache and plain tensors, at once; a job ends when the link would have moved it."""

        def __init__(self, caches, blocks_per_chunk, chunks):
            self._blocks_per_chunk = blocks_per_chunk
            self._layers = caches.group_data_refs
            self._device = [t.tensor.view(torch.int8) for t in caches.tensors]
            for pages, t in zip(self._device, caches.tensors):
                if pages.dim() != 2 or pages.shape[1] != t.page_size_bytes:
                    raise RuntimeError(f"pages of {t.page_size_bytes} bytes expected, the cache has {tuple(pages.shape)}")
            self._host = [torch.empty((chunks * blocks_per_chunk, t.page_size_bytes), dtype=torch.int8) for t in caches.tensors]
            self._bytes_per_second = float(os.environ.get("KVCLIFF_LIVE_LINK", "inf"))
            self._link_free_at = 0.0
            self._jobs = {}  # id -> (time at which it is done, bytes, seconds)

        def _pages(self, device, host):
            """For each KV group: its number, device pages, and the host pages that belong to them, in the same order.
            The first block may sit inside a chunk, so a page's place follows from its index within the request."""
            n = self._blocks_per_chunk
            blocks_done = chunks_done = 0
            for group, (count, first) in enumerate(zip(device.group_sizes, device.block_indices)):
                if count == 0:
                    continue
                index = numpy.arange(first, first + count, dtype=numpy.int64)
                chunk = index // n - first // n
                slots = host.block_ids[chunks_done + chunk].astype(numpy.int64) * n + index % n
                yield group, device.block_ids[blocks_done:blocks_done + count].astype(numpy.int64), slots
                blocks_done += count
                chunks_done += int(chunk[-1]) + 1

        def _move(self, job, device, host, to_host):
            began, moved = time.monotonic(), 0
            for group, pages, slots in self._pages(device, host):
                pages, slots = torch.from_numpy(pages), torch.from_numpy(slots)
                for layer in self._layers[group]:
                    size = layer.page_size_bytes
                    near, far = self._device[layer.tensor_idx], self._host[layer.tensor_idx]
                    if to_host:
                        far[slots, :size] = near[pages, :size]
                    else:
                        near[pages, :size] = far[slots, :size]
                    moved += size * len(pages)
            done = max(time.monotonic(), max(began, self._link_free_at) + moved / self._bytes_per_second)
            self._link_free_at = done
            self._jobs[job] = (done, moved, done - began)
            return True

        def submit_store(self, job_id, src_spec, dst_spec):
            return self._move(job_id, src_spec, dst_spec, to_host=True)

        def submit_load(self, job_id, src_spec, dst_spec):
            return self._move(job_id, dst_spec, src_spec, to_host=False)

        def get_finished(self):
            now = time.monotonic()
            over = [job for job, (done, _, _) in self._jobs.items() if done <= now]
            return [TransferResult(job_id=job, success=True, transfer_size=size, transfer_time=seconds)
                    for job in over for _, size, seconds in [self._jobs.pop(job)]]

        def wait(self, job_ids):
            latest = max((self._jobs[job][0] for job in job_ids if job in self._jobs), default=0.0)
            time.sleep(max(0.0, latest - time.monotonic()))

    return HostCopier


def give_it_a_tier():
    from vllm.v1.kv_offload.cpu.spec import CPUOffloadingSpec

    def get_worker(self, kv_caches):
        if self._worker is None:
            self._worker = copier_class()(kv_caches, self.blocks_per_chunk, self.num_chunks)
        return self._worker

    CPUOffloadingSpec.get_worker = get_worker


def let_it_take_blocks_of_16():
    from vllm.v1.attention.backend import MultipleOf
    from vllm.v1.attention.backends.cpu_attn import CPUAttentionBackend

    CPUAttentionBackend.get_supported_kernel_block_sizes = staticmethod(lambda *_: [MultipleOf(16)])


def register():
    from vllm.platforms import current_platform

    if not current_platform.is_cpu():
        raise RuntimeError("this plugin is for tests on a machine without a GPU")
    give_it_a_tier()
    if os.environ.get("KVCLIFF_LIVE_BLOCK16") == "1":
        let_it_take_blocks_of_16()
    main = multiprocessing.current_process().name == "MainProcess"
    hang = os.environ.get("KVCLIFF_LIVE_HANG")
    if hang == "start" and not main:
        while True:
            time.sleep(3600)
    if hang == "stop" and main and not any(a.startswith("--help") for a in sys.argv):
        atexit.register(lambda: time.sleep(3600))
