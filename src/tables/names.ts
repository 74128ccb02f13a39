/** Makes names for SQL: lower case, of letters, digits and underscores, unique within their table or tenant. Pure. */

const NAME_UNITS_MAX = 60;

/** Returns the name in the form of names in SQL, or `fallback` if it has no letter or digit. */
export function sqlNameOf(name: string, fallback: string): string {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '_')
    .slice(0, NAME_UNITS_MAX)
    .toWellFormed()
    .replace(/\ufffd/g, '')
    .replace(/^_+|_+$/g, '');
  if (words === '') return fallback;
  return /^\p{N}/u.test(words) ? `${fallback.startsWith('table') ? 't' : 'c'}_${words}` : words;
}

/** Returns the name, or the name with `_2`, `_3` and so on, so that it is not in `taken`, and adds it there. */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let i = 2; taken.has(unique); i += 1) unique = `${name}_${i}`;
  taken.add(unique);
  return unique;
}
