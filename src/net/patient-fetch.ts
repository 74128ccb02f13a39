/** A `fetch` for uploads, whose bytes may be under way for hours. */
import { Agent, fetch as fetchWith } from 'undici';

/** The global `fetch` waits 5 minutes. A slow line has not taken all bytes when the last of them is handed to the system. */
const ANSWER_MS_MAX = 12 * 3_600_000;

export function openPatientFetch(): typeof fetch {
  const dispatcher = new Agent({ headersTimeout: ANSWER_MS_MAX });
  return ((input: string, init?: object) => fetchWith(input, { ...init, dispatcher })) as unknown as typeof fetch;
}
