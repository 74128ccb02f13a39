/** Makes the item of a page from its address and the headers of its response. Pure. */
import type { OriginItem } from '../connector.ts';
import { charsetOf } from './types.ts';

/** A `Last-Modified` within this time before now is the time when the response was made, not when its text changed. */
const JUST_MADE_MS = 60_000;

export function toItem(
  address: string,
  name: string,
  headers: Headers,
  { now, modifiedAt }: { now: Date; modifiedAt: Date | null },
): OriginItem {
  const charset = charsetOf(headers.get('content-type'));
  const changed = Date.parse(headers.get('last-modified') ?? '');
  const { host, pathname: path } = new URL(address);
  return {
    originId: address,
    name,
    url: address,
    revision: null,
    modifiedAt: changed < now.getTime() - JUST_MADE_MS ? new Date(changed) : modifiedAt,
    metadata: {
      host: { val: host, type: 'string' },
      path: { val: path, type: 'string' },
      ...(charset !== undefined &&
        !/^utf-?8$/i.test(charset) && { charset: { val: charset, type: 'string' as const } }),
    },
    locator: {},
  };
}
