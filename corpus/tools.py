"""Commands, files and threads, as the other modules need them."""

import concurrent.futures
import contextlib
import os
import pathlib
import signal
import subprocess

CLANG = "clang-19"
LINK = "llvm-link-19"
OPT = "opt-19"
AR = "llvm-ar-19"
TIMEOUT_SECONDS = 600


class CommandFailed(Exception):
    pass


def finish(command, timeout=TIMEOUT_SECONDS, **options):
    """Runs a command to its end, or ends it with all that it started."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True, **options) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def run(command, **options):
    """Runs a command that must succeed, and returns what it printed: standard output and errors."""
    try:
        result = finish(command, **options)
    except FileNotFoundError:
        raise CommandFailed(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"{command[0]} takes more than {TIMEOUT_SECONDS} s") from None
    output = result.stdout.decode(errors="replace")
    errors = result.stderr.decode(errors="replace")
    if result.returncode != 0:
        raise CommandFailed(f"{pathlib.Path(command[0]).name}: {reason(errors or output)}")
    return output, errors


def reason(output):
    """The line that tells most about a failure."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for sign in ("undefined reference", "error", "E:"):
        telling = [line for line in lines if sign in line]
        if telling:
            return telling[0]
    return lines[-1] if lines else "no message"


@contextlib.contextmanager
def replacing(path):
    """A temporary file that is renamed to the path on success."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".partial-{path.name}")  # keeps the suffix, which tools look at
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def is_current(stamp, key):
    return stamp.is_file() and stamp.read_text() == key


def write_stamp(stamp, key):
    with replacing(stamp) as partial:
        partial.write_text(key)


def parallel(jobs, function, items):
    """function(item) for each item, on so many threads; the results in the order of the items."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
