/** Writes and reads the line that lists definitions of a chunk in its context. */
import { lastName } from './analysis/names.ts';

const HEAD = 'Defines: ';
/** A longer context would distract models and readers from the content. */
const NAMES_MAX = 50;

/** Returns `Defines: a, b` for the names of definitions; undefined if `heading` is the only one. The heading path has it already. */
export function definesLine(names: readonly string[], heading: string | undefined): string | undefined {
  const listed = new Set(names.filter((name) => name !== heading).map(lastName));
  listed.delete(undefined);
  return listed.size === 0 ? undefined : HEAD + [...listed].slice(0, NAMES_MAX).join(', ');
}

/** Returns the names that the line of a context of code lists. */
export function definedNames(context: string | null): string[] {
  const line = context?.split('\n').find((one) => one.startsWith(HEAD));
  return line === undefined ? [] : line.slice(HEAD.length).split(', ');
}
