/** The runs of the service as they change, from its stream of events. */
import type { Run } from '../../../src/client/api.ts';
import { PinakesError, pinakes } from './api.ts';
import { readEvents } from './events.ts';

export type { Run };

interface RunEvent {
  type: string;
  run?: Run;
  error?: { message: string };
}

const RETRY_MS = 5_000;

/**
 * Calls `changed` for each run that changes, until the signal aborts. After a broken connection, `missed` says that runs may have
 * changed unseen. A key may have 4 streams: a fifth page asks again until one is free.
 */
export async function followRuns(
  { changed, missed }: { changed(run: Run): void; missed(): void },
  signal: AbortSignal,
): Promise<void> {
  for (let first = true; !signal.aborted; first = false) {
    try {
      const response = await pinakes.send('streamEvents', {}, { signal, headers: { accept: 'text/event-stream' } });
      if (!first) missed();
      for await (const event of readEvents(response.body!) as AsyncIterable<unknown>) {
        const { type, run } = event as RunEvent;
        if (type === 'run' && run) changed(run);
        else if (type === 'reset') missed();
      }
    } catch (error) {
      // The session has ended: the page shows the sign-in screen.
      if (signal.aborted || (error instanceof PinakesError && [401, 403].includes(error.status))) return;
    }
    await new Promise((done) => setTimeout(done, RETRY_MS));
    if (!signal.aborted) missed();
  }
}
