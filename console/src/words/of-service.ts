/**
 * Returns what puts English texts of the service into another language. In the texts of the catalogue, `#` stands for a number and `*` for
 * any text; a `*` at the beginning is itself put into the language. A text that the catalogue lacks stays as it is.
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
  return function said(text): string {
    const key = text.replaceAll(/\d+/g, '#');
    if (Object.hasOwn(catalogue, key)) return put(catalogue[key]!, text.match(/\d+/g) ?? []);
    for (const { pattern, words } of open) {
      const [, first, ...others] = pattern.exec(text) ?? [];
      if (first !== undefined) return put(words, [words.startsWith('*') ? said(first) : first, ...others]);
    }
    return text;
  };
}
