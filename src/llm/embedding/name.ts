/** Reads and writes recorded names of remote models. Vectors are stored with this name: the model and its options. */
import { z } from 'zod';

export interface RemoteModel {
  /** The provider's name of the model. */
  name: string;
  /** The requested dimensions. Null for the model's own. */
  dimensions: number | null;
  /** The text before every passage. */
  passagePrefix: string;
}

const optionsSchema = z.strictObject({
  dimensions: z.number().optional(),
  passage: z.string().optional(),
});

/** Returns the recorded name: the name alone when there are no options. */
export function recordedName({ name, dimensions, passagePrefix }: RemoteModel): string {
  const options = {
    ...(dimensions === null ? {} : { dimensions }),
    ...(passagePrefix === '' ? {} : { passage: passagePrefix }),
  };
  return Object.keys(options).length === 0 ? name : `${name} ${JSON.stringify(options)}`;
}

/** Returns the model that a recorded name describes. */
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
