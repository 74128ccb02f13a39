const SENTENCE_END = /(?<=\.) (?=[A-Z*\d])/;

/**
 * Returns what puts English texts of the service into another language. In the texts of the catalogue, `#` stands for a number and `*` for
 * any text; a `*` at the beginning is itself put into the language. Of a text that the catalogue lacks as a whole, each sentence is put
 * into the language; a sentence that the catalogue lacks stays as it is.
 */
export function inLanguage(catalogue: Readonly<Record<string, string>>): (text: string) => string {
  const open = Object.entries(catalogue).flatMap(([text, words]) => {
    if (!text.includes('*')) return [];
    const pattern = text
      .replaceAll(/[.?()]/g, '\\$&')
      .replaceAll('*', '(.+)')
      .replaceAll('#', '(\\d+)');
    return [{ pattern: new RegExp(`^${pattern}$`, 's'), words }];
  });
  const put = (words: string, parts: string[]) => words.replaceAll(/[#*]/g, () => parts.shift() ?? '');
  function exact(text: string): string | undefined {
    const key = text.replaceAll(/\d+/g, '#');
    return Object.hasOwn(catalogue, key) ? put(catalogue[key]!, text.match(/\d+/g) ?? []) : undefined;
  }
  function sentence(text: string): string | undefined {
    const known = exact(text);
    if (known !== undefined) return known;
    for (const { pattern, words } of open) {
      const [, first, ...others] = pattern.exec(text) ?? [];
      if (first !== undefined)
        return put(words, [words.startsWith('*') ? (sentence(first) ?? first) : first, ...others]);
    }
    return undefined;
  }
  return (text) => {
    const parts = text.split(SENTENCE_END);
    const known = parts.map(sentence);
    const joined = parts.map((part, i) => known[i] ?? part).join(' ');
    // What stands for `*` may look like the end of a sentence: Dr. Smith.
    return exact(text) ?? (known.every((one) => one !== undefined) ? joined : (sentence(text) ?? joined));
  };
}
