/** LISTEN on a separate connection, which is opened again after it was lost. */
import type pg from 'pg';
import type { Listener } from '../database.ts';

const RECONNECT_MS_FIRST = 500;
const RECONNECT_MS_MAX = 30_000;
/** How often a statement checks that the connection is alive. */
const PROBE_INTERVAL_MS = 30_000;

/** Starts to listen. @throws Error when the first connection fails. Later losses are repaired. */
export async function listen(
  connect: () => pg.Client,
  channel: string,
  onNotify: (payload: string) => void,
  onConnect: () => void,
): Promise<Listener> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let failures = 0;

  const lost = (from: pg.Client): void => {
    if (closed || client !== from) return;
    client = undefined;
    from.end().catch(() => {});
    retry();
  };
  const retry = (): void => {
    clearTimeout(timer);
    const delay = Math.min(RECONNECT_MS_MAX, RECONNECT_MS_FIRST * 2 ** failures++);
    timer = setTimeout(() => void open().catch(retry), delay);
  };
  const probe = (from: pg.Client): void => {
    timer = setTimeout(() => {
      from.query('select').then(
        () => client === from && !closed && probe(from),
        () => lost(from),
      );
    }, PROBE_INTERVAL_MS);
  };
  const open = async (): Promise<void> => {
    const next = connect();
    next.on('error', () => lost(next));
    next.on('end', () => lost(next));
    next.on('notification', (message) => onNotify(message.payload ?? ''));
    await next.connect();
    await next.query(`listen "${channel.replaceAll('"', '""')}"`);
    if (closed) return next.end();
    client = next;
    failures = 0;
    probe(next);
    onConnect();
  };

  await open();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}
