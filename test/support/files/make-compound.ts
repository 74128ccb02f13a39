/** Makes compound files (OLE2), the container of Outlook messages. */
import { CFB } from '@e965/xlsx';

/** Returns a compound file with the streams, all at the top. */
export function makeCompound(streams: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const file = CFB.utils.cfb_new();
  for (const [name, data] of Object.entries(streams)) CFB.utils.cfb_add(file, name, data);
  return CFB.write(file, { type: 'buffer' });
}
