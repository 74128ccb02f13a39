/** Server-sent events: framing, back-pressure, heartbeat. */
import type { FastifyReply } from 'fastify';

/** Comments keep proxies and clients from giving up on a silent stream. */
export const HEARTBEAT_MS = 15_000;
/** A client that takes nothing for so long is cut off: what waits for it keeps a call to a model open. */
export const SLOW_READER_MS = 60_000;

export interface EventStream {
  /** Resolves when the connection can take more. @throws the signal's reason when the client has left. */
  send(event: object): Promise<void>;
  /** Sends a last event, whether or not the signal has aborted, and ends. */
  end(last?: object): void;
}

/** Answers 200 with an event stream. From here on the reply is ours: failures must be told as events. */
export function openEventStream(reply: FastifyReply, signal: AbortSignal, heartbeatMs = HEARTBEAT_MS): EventStream {
  startStream(reply, 'text/event-stream; charset=utf-8');
  reply.raw.flushHeaders();
  const beat = (): void => {
    if (!reply.raw.writableNeedDrain) reply.raw.write(': heartbeat\n\n');
  };
  const timer = setInterval(beat, heartbeatMs);
  reply.raw.once('close', () => clearInterval(timer));
  return {
    send: (event) => writeText(reply, frame(event), signal),
    end(last) {
      clearInterval(timer);
      if (!reply.raw.destroyed) reply.raw.end(last === undefined ? undefined : frame(last));
    },
  };
}

/** What JSON leaves as it is and some clients take for the end of a line. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** An event is always one data line, for every client: JSON has no raw line breaks of the usual kind. */
function frame(event: object): string {
  const json = JSON.stringify(event).replace(
    OTHER_LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `data: ${json}\n\n`;
}

/** Takes the reply over and sends status 200 and the headers set so far. */
export function startStream(reply: FastifyReply, contentType: string): void {
  reply.hijack();
  reply.raw.writeHead(200, { ...reply.getHeaders(), 'content-type': contentType, 'x-accel-buffering': 'no' } as Record<
    string,
    string
  >);
}

/**
 * Resolves when the connection can take more: no more than one text waits in memory for a slow reader.
 *
 * @throws the signal's reason when the client has left, or was cut off because it took nothing for too long.
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
