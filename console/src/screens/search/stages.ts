/** The stages of a request, from the header Server-Timing of its answer. */

export interface Stage {
  name: string;
  /** Milliseconds since the request arrived. */
  start: number;
  ms: number;
}

export function readStages(header: string): Stage[] {
  return header.split(',').flatMap((entry): Stage[] => {
    const name = /^\s*([\w-]+)\s*;/.exec(entry)?.[1];
    const [start, ms] = [numberOf(entry, 'start'), numberOf(entry, 'dur')];
    return name !== undefined && start !== undefined && ms !== undefined ? [{ name, start, ms }] : [];
  });
}

function numberOf(entry: string, parameter: string): number | undefined {
  const digits = new RegExp(`;\\s*${parameter}=([\\d.]+)`).exec(entry)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Returns when the last stage ended, in milliseconds since the request arrived. */
export function endOf(stages: readonly Stage[]): number {
  return Math.max(0, ...stages.map(({ start, ms }) => start + ms));
}
