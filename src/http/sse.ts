/** Server-sent events: writes frames, waits for slow readers, and sends a heartbeat. */
import type { FastifyReply } from 'fastify';

/** Interval of the comment lines that keep proxies and clients from closing a silent stream. */
const HEARTBEAT_MS = 15_000;
/** A client that reads nothing for this long is disconnected: its waiting answer keeps a call to a model open. */
const SLOW_READER_MS = 60_000;
/** How long an aborted stream waits until its reader has taken the last event. */
const LAST_EVENT_MS = 500;

export interface EventStream {
  /**
   * Sends an event, with the id from which a client can resume. Resolves when the connection can take more.
   *
   * @throws the signal's reason when the client has left.
   */
  send(event: object, id?: string): Promise<void>;
  /** Sends a last event and ends the stream. After the signal aborted, a slow reader is disconnected. */
  end(last?: object): void;
}

export interface EventStreamOptions {
  heartbeatMs?: number;
  /** True: an event that has a `type` is sent with this name. */
  named?: boolean;
}

/** Answers 200 with an event stream. After this call the caller must report failures as events, since the status was sent. */
export function openEventStream(
  reply: FastifyReply,
  signal: AbortSignal,
  { heartbeatMs = HEARTBEAT_MS, named = false }: EventStreamOptions = {},
): EventStream {
  startStream(reply, 'text/event-stream; charset=utf-8');
  reply.raw.flushHeaders();
  const frame = (event: object): string => (named && 'type' in event ? `event: ${event.type}\n` : '') + dataOf(event);
  const beat = (): void => {
    if (!reply.raw.writableNeedDrain) reply.raw.write(': heartbeat\n\n');
  };
  const timer = setInterval(beat, heartbeatMs);
  reply.raw.once('close', () => clearInterval(timer));
  return {
    send: (event, id) => writeText(reply, (id === undefined ? '' : `id: ${id}\n`) + frame(event), signal),
    end(last) {
      clearInterval(timer);
      if (reply.raw.destroyed) return;
      reply.raw.end(last === undefined ? undefined : frame(last));
      if (!signal.aborted) return;
      const cut = setTimeout(() => reply.raw.destroy(), LAST_EVENT_MS);
      reply.raw.once('close', () => clearTimeout(cut));
    },
  };
}

/** Characters that JSON does not escape and that some clients treat as line ends. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** Returns the event as exactly one `data:` line, and the blank line that ends it. */
function dataOf(event: object): string {
  const json = JSON.stringify(event).replace(
    OTHER_LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `data: ${json}\n\n`;
}

/** Takes the reply over from Fastify, and sends status 200 with the headers set so far. */
export function startStream(reply: FastifyReply, contentType: string): void {
  reply.hijack();
  reply.raw.writeHead(200, { ...reply.getHeaders(), 'content-type': contentType, 'x-accel-buffering': 'no' } as Record<
    string,
    string
  >);
}

/**
 * Writes a text and resolves when the connection can take more, so that at most one text waits in memory for a slow reader.
 *
 * @throws the signal's reason when the client has left, or was disconnected because it read nothing for `slowReaderMs`.
 */
export async function writeText(
  reply: FastifyReply,
  text: string,
  signal: AbortSignal,
  slowReaderMs = SLOW_READER_MS,
): Promise<void> {
  signal.throwIfAborted();
  if (reply.raw.write(text) || reply.raw.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => reply.raw.destroy(), slowReaderMs);
    const done = (): void => {
      clearTimeout(timer);
      reply.raw.off('drain', done).off('close', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    reply.raw.once('drain', done).once('close', done);
    signal.addEventListener('abort', done, { once: true });
  });
  signal.throwIfAborted();
}

/** Returns true when the Accept header asks for server-sent events. */
export function acceptsEvents(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((entry) => {
    const [type = '', ...rest] = entry.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/event-stream' && !rest.some((part) => /^q=0(\.0*)?$/.test(part));
  });
}
