/** Times of the stages of a request. */

export interface Stage {
  name: string;
  /** Milliseconds of `performance.now()`. */
  startedAt: number;
  ms: number;
}

export interface Stopwatch {
  /** The stages that have ended. */
  stages: Stage[];
  /** Ends a stage that began when the stage before it ended. */
  lap(name: string): void;
}

export function openStopwatch(): Stopwatch {
  const stages: Stage[] = [];
  let startedAt = performance.now();
  return {
    stages,
    lap(name): void {
      const now = performance.now();
      stages.push({ name, startedAt, ms: now - startedAt });
      startedAt = now;
    },
  };
}

/** Runs one stage, which may run beside others, and adds it to the stages when it succeeds. */
export async function timed<T>(stages: Stage[], name: string, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await run();
  stages.push({ name, startedAt, ms: performance.now() - startedAt });
  return result;
}
