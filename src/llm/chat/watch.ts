/** Ends a call to a model that is silent or lasts too long. */

export interface Watch {
  /** Aborts with the caller, when the model was silent for too long, and when the call as a whole was. */
  readonly signal: AbortSignal;
  timedOut(): boolean;
  /** From now on the model may be silent for `ms`. */
  expect(ms: number): void;
  /** The model is not what is waited for: only the time of the whole call counts. */
  pause(): void;
  /** Also ends the call if it still runs. */
  stop(): void;
}

/** @param wholeMs for the whole call. */
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
