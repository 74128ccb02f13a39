/** Schemas of texts. `.meta({ wire })` replaces the JSON Schema of a schema in the OpenAPI description. */
import { z } from 'zod';
import { codePointLength } from './code-points.ts';

declare module 'zod' {
  interface GlobalMeta {
    /** JSON Schema of the value as it is on the wire. */
    wire?: Record<string, unknown>;
  }
}

/** Returns the schema of a text with bounds in code points. */
export function text(min: number, max: number) {
  return z
    .string()
    .refine(
      (value) => {
        // A text has at most as many code points as UTF-16 units, and at least half as many. Only texts near a bound need counting.
        if (value.length < min || value.length > 2 * max) return false;
        const length = value.length <= max && value.length >= 2 * min ? value.length : codePointLength(value);
        return length >= min && length <= max;
      },
      { error: (issue) => `must have ${min} to ${max} characters, not ${codePointLength(String(issue.input))}` },
    )
    .meta({ wire: { type: 'string', minLength: min, maxLength: max } });
}
