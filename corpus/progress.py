"""A progress bar: one line, drawn again and again on a terminal; elsewhere a line for each larger step."""

import shutil
import sys
import threading


class Progress:
    def __init__(self):
        self.total = 0
        self.done = 0
        self.on_terminal = sys.stderr.isatty()
        self.lock = threading.Lock()

    def start(self, total):
        self.done, self.total = 0, total

    def step(self, label):
        with self.lock:
            self.done += 1
            self._draw(label)

    def milestone(self, label):
        self.step(label)
        if not self.on_terminal:
            self.say(f"[{self.done}/{self.total}] {label}")

    def say(self, message):
        """A line that stays."""
        with self.lock:
            self._clear()
            print(message, flush=True)

    def close(self):
        self._clear()

    def _draw(self, label):
        if not self.on_terminal:
            return
        width = 30
        filled = width * self.done // max(self.total, 1)
        line = f"[{'=' * filled}{' ' * (width - filled)}] {self.done}/{self.total} {label}"
        columns = shutil.get_terminal_size().columns - 1
        print("\r\033[K" + line[:columns], end="", file=sys.stderr, flush=True)

    def _clear(self):
        if self.on_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
