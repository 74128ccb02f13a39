/** A `fetch` for uploads, whose bytes may be under way for hours, and for answers of models. */
import { type Dispatcher, getGlobalDispatcher } from 'undici';

/**
 * The global `fetch` waits 5 minutes. A slow line has not taken all bytes when the last of them is handed to the system, and a model may
 * take an hour.
 */
const ANSWER_MS_MAX = 12 * 3_600_000;

/** Returns a `fetch` with the connections of the global one, so that it uses the same proxies (`NODE_USE_ENV_PROXY`). */
export function openPatientFetch(): typeof fetch {
  const dispatcher = getGlobalDispatcher().compose(
    (dispatch): Dispatcher['dispatch'] =>
      (options, handler) =>
        dispatch({ ...options, headersTimeout: ANSWER_MS_MAX }, handler),
  );
  return (input, init) => fetch(input, { ...init, dispatcher } as unknown as RequestInit);
}
