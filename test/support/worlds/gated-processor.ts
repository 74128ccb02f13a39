/** The real parser processes behind a gate: tests decide when a file is finished, and see the files in flight. */

import type { ProcessOutcome } from '../../../src/files/parsed.ts';
import type { FileProcessor } from '../../../src/files/sandbox/file-processor.ts';

export interface GatedProcessor extends FileProcessor {
  /** Names of the files in flight. */
  inHand: Set<string>;
  /** Name -> how often the file was given to the processor. */
  calls: Map<string, number>;
  /** While false, finished files wait. */
  setOpen(open: boolean): void;
  /** Its result, if defined, replaces the result of the real processor. */
  script: (name: string, call: number) => ProcessOutcome | undefined;
}

export function gateProcessor(real: FileProcessor): GatedProcessor {
  let open = Promise.withResolvers<void>();
  open.resolve();
  const gate: GatedProcessor = {
    inHand: new Set(),
    calls: new Map(),
    setOpen(isOpen) {
      if (isOpen) open.resolve();
      else open = Promise.withResolvers();
    },
    script: () => undefined,
    async process(request, signal, members, ...rest) {
      const call = (gate.calls.get(request.name) ?? 0) + 1;
      gate.calls.set(request.name, call);
      gate.inHand.add(request.name);
      try {
        const outcome = gate.script(request.name, call) ?? (await real.process(request, signal, members, ...rest));
        const stopped = Promise.withResolvers<never>();
        signal.addEventListener('abort', () => stopped.reject(signal.reason), { once: true });
        await Promise.race([open.promise, stopped.promise]);
        return outcome;
      } finally {
        gate.inHand.delete(request.name);
      }
    },
    close: () => real.close(),
  };
  return gate;
}
