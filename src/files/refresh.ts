/** Reads `<meta http-equiv="refresh">`, which sends the reader of a page to another address. Pure. */

export interface Refresh {
  /** The other address, as written. */
  target: string;
  /** True if the page sends its reader on at once or after a second. */
  isAtOnce: boolean;
}

/**
 * Returns what the content of the tag says; undefined if it names no other address: the page then loads itself again. The address may stand
 * without `url=` if it is one word behind a delay.
 */
export function readRefresh(content: string): Refresh | undefined {
  const [, delay = '', sign, rest = ''] = /^\s*([\d.]*)\s*([;,]?)\s*(.*)$/s.exec(content) ?? [];
  const named = /^url\s*=(.*)$/is.exec(rest)?.[1];
  const [, target] =
    named === undefined
      ? (/^['"]?([^\s;,'"][^\s'"]*)['"]?$/.exec(rest.trimEnd()) ?? [])
      : (/^['"]?([^'"]*)/.exec(named.trim()) ?? []);
  const isGiven = named !== undefined || (delay !== '' && sign !== '');
  const address = target?.trim() ?? '';
  if (!isGiven || address === '' || address.startsWith('#')) return undefined;
  return { target: address, isAtOnce: Number(delay) < 2 };
}
