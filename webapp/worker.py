"""The worker process: the job queue's consumer, and the sequencer in a loop of its own."""

from __future__ import annotations

import threading

import structlog
from huey.api import Huey

from ledger.errors import DatabaseBusy, LedgerError, LogForked
from webapp import jobs
from webapp.retention import register_retention
from webapp.wiring import Services

__all__ = ["SequencerLoop", "run_worker"]

_LOOP_S = 0.25
_FAULT_WAIT_S = 5.0
_QUEUE_POLL_S = 0.5

_log = structlog.get_logger("webapp.worker")


class SequencerLoop:
    """Numbers and signs waiting events four times a second, and asks for a fit after a batch."""

    def __init__(self, services: Services, queue: Huey) -> None:
        self._services = services
        self._tend = queue.task(name="tend_mode")(lambda mode: jobs.tend(services, mode))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sequencer", daemon=True)

    def start(self) -> None:
        """Begin the loop."""
        self._thread.start()

    def stop(self) -> None:
        """End the loop after the step at hand."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        wait_s = _LOOP_S
        while not self._stop.wait(wait_s):
            wait_s = _LOOP_S
            try:
                # A new one each time: keys may have changed.
                step = self._services.sequencer().step(self._services.clock())
            except DatabaseBusy:
                continue
            except LogForked as error:
                _log.error("log_forked", detail=str(error))
                wait_s = _FAULT_WAIT_S
            except LedgerError as error:
                _log.error("sequencer_failed", error=type(error).__name__, detail=str(error))
                wait_s = _FAULT_WAIT_S
            except Exception as error:  # noqa: BLE001 - the loop must outlive any fault of a step
                _log.error("sequencer_failed", error=type(error).__name__, exc_info=error)
                wait_s = _FAULT_WAIT_S
            else:
                if step.added:
                    self._ask_for_fits()

    def _ask_for_fits(self) -> None:
        try:
            for mode in jobs.MODES:
                self._tend(mode)
        except Exception as error:  # noqa: BLE001 - any fault of the queue's storage
            # The minute's timetable fits as well; the log must go on without the queue.
            _log.warning("fit_not_asked_for", error=type(error).__name__)


def run_worker(services: Services) -> None:
    """Work until the process is told to stop."""
    queue = jobs.make_queue(services.settings)
    jobs.register_jobs(queue, services)
    register_retention(queue, services)
    loop = SequencerLoop(services, queue)
    loop.start()
    consumer = queue.create_consumer(
        workers=2, worker_type="thread", periodic=True, max_delay=_QUEUE_POLL_S
    )
    try:
        consumer.run()
    finally:
        loop.stop()
        services.close()
