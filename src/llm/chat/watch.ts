/** Ends a call to a model that sends nothing for too long, or lasts too long. */

export interface Watch {
  /** Aborts when the caller aborts, when the model sends nothing for too long, and when the whole call takes too long. */
  readonly signal: AbortSignal;
  timedOut(): boolean;
  /** From now on the model may take `ms` until it sends something. */
  expect(ms: number): void;
  /** From now on only the limit of the whole call counts, because the service does not wait for the model. */
  pause(): void;
  /** Ends the watch, and the call if it still runs. */
  stop(): void;
}

/**
 * Starts the watch of one call.
 *
 * @param wholeMs maximum time of the whole call.
 */
export function openWatch(signal: AbortSignal, wholeMs: number): Watch {
  const controller = new AbortController();
  let timedOut = false;
  const expire = (): void => {
    timedOut = true;
    controller.abort();
  };
  const onAbort = (): void => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const whole = setTimeout(expire, wholeMs);
  let silence: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    timedOut: () => timedOut,
    expect(ms) {
      clearTimeout(silence);
      silence = setTimeout(expire, ms);
    },
    pause: () => clearTimeout(silence),
    stop() {
      clearTimeout(whole);
      clearTimeout(silence);
      signal.removeEventListener('abort', onAbort);
      if (!controller.signal.aborted) controller.abort();
    },
  };
}
