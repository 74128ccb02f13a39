import type { FastifyReply } from 'fastify';
import type { Stage } from '../../retrieval/stages.ts';

/** Sets the header that tells a caller when each stage of a request began and how long it took. */
export function setServerTiming(reply: FastifyReply, stages: readonly Stage[]): void {
  reply.header('server-timing', serverTiming(stages, performance.now() - reply.elapsedTime));
}

/**
 * Returns the stages in the order of their starts. The standard has no parameter for the start: whoever does not know `start` ignores it.
 *
 * @param requestedAt when the request arrived, as `performance.now()`.
 */
export function serverTiming(stages: readonly Stage[], requestedAt: number): string {
  return stages
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map(({ name, startedAt, ms }) => `${name};dur=${ms.toFixed(1)};start=${(startedAt - requestedAt).toFixed(1)}`)
    .join(', ');
}
