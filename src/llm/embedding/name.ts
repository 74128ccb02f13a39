/** What is recorded with vectors of a model behind an address: its name, and what else they were made with. Pure. */
import { z } from 'zod';

export interface RemoteModel {
  /** As the provider knows it. */
  name: string;
  /** That it is asked for; null: its own. */
  dimensions: number | null;
  /** What it reads before a passage. */
  passagePrefix: string;
}

const optionsSchema = z.strictObject({
  dimensions: z.number().optional(),
  passage: z.string().optional(),
});

/** The name alone where there is nothing else. */
export function recordedName({ name, dimensions, passagePrefix }: RemoteModel): string {
  const options = {
    ...(dimensions === null ? {} : { dimensions }),
    ...(passagePrefix === '' ? {} : { passage: passagePrefix }),
  };
  return Object.keys(options).length === 0 ? name : `${name} ${JSON.stringify(options)}`;
}

export function readRecordedName(recorded: string): RemoteModel {
  for (const { index } of recorded.matchAll(/ \{/g)) {
    const options = optionsSchema.safeParse(parse(recorded.slice(index)));
    if (!options.success) continue;
    const { dimensions = null, passage = '' } = options.data;
    return { name: recorded.slice(0, index), dimensions, passagePrefix: passage };
  }
  return { name: recorded, dimensions: null, passagePrefix: '' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
