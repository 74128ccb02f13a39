/**
 * The schema of a text whose length is bounded in code points. `.meta({ wire })` replaces the JSON Schema of a schema in the
 * OpenAPI description.
 */
import { z } from 'zod';

declare module 'zod' {
  interface GlobalMeta {
    /** JSON Schema of the value as it is on the wire. */
    wire?: Record<string, unknown>;
  }
}

/** Length in code points, as all lengths of the interface. */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Text with bounds in code points. */
export function text(min: number, max: number) {
  return z
    .string()
    .refine(
      (value) => {
        // UTF-16 units bound code points from both sides: only texts between the bounds need counting.
        if (value.length < min || value.length > 2 * max) return false;
        const length = value.length <= max && value.length >= 2 * min ? value.length : codePointLength(value);
        return length >= min && length <= max;
      },
      { error: (issue) => `must have ${min} to ${max} characters, not ${codePointLength(String(issue.input))}` },
    )
    .meta({ wire: { type: 'string', minLength: min, maxLength: max } });
}
