#!/usr/bin/env python3
"""Peak memory of the command line before it has a model. Usage: memory_test.py STINT (run by ctest)."""
import ctypes
import os
import signal
import sys
import unittest

STINT = None
PTRACE_TRACEME, PTRACE_CONT, PTRACE_SETOPTIONS = 0, 7, 0x4200
PTRACE_O_TRACEEXIT, PTRACE_EVENT_EXIT = 0x40, 6
LIBC = ctypes.CDLL(None, use_errno=True)


def ptrace(request, pid, data=0):
    return LIBC.ptrace(ctypes.c_long(request), ctypes.c_long(pid), None, ctypes.c_void_p(data))


def peak_kb(*arguments):
    """VmHWM of a process when it exits; getrusage would count this interpreter, from before the exec."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        if ptrace(PTRACE_TRACEME, 0) != 0:
            os._exit(77)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.execv(STINT, [STINT, *arguments])
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status):
        return None  # ptrace is forbidden here
    ptrace(PTRACE_SETOPTIONS, pid, PTRACE_O_TRACEEXIT)
    peak = None
    while True:
        ptrace(PTRACE_CONT, pid)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            return peak
        if status >> 8 == signal.SIGTRAP | PTRACE_EVENT_EXIT << 8:
            with open(f"/proc/{pid}/status") as file:
                peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


class Memory(unittest.TestCase):
    # Limits leave 1 MB for the pages around a touched one that a kernel maps with it.
    def test_version_takes_little(self):
        self.assertLess(peak_kb("--version"), 4200)

    # One command with its options.
    def test_a_command_takes_little(self):
        self.assertLess(peak_kb("run", "/no/such/model", "--text", "x"), 4200)


if __name__ == "__main__":
    STINT = sys.argv.pop(1)
    if peak_kb("--version") is None:
        print("ptrace is not allowed here")
        sys.exit(77)
    unittest.main()
