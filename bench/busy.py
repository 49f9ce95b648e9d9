"""Neighbors that take the machine's CPUs."""
import multiprocessing
import os


def spin():
    while True:
        pass


class Busy:
    """As many processes that spin as the machine has CPUs."""

    def __enter__(self):
        self.processes = [multiprocessing.Process(target=spin, daemon=True) for _ in range(os.cpu_count())]
        for process in self.processes:
            process.start()

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.join()
