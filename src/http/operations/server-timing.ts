/** The header that tells a caller how long each stage of a request took. */
export const SERVER_TIMING = 'server-timing';

/** Stage name -> milliseconds. */
export function serverTiming(timings: Readonly<Record<string, number>>): string {
  return Object.entries(timings)
    .map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`)
    .join(', ');
}
