/** Files that pages carry: what becomes a source of its own, and how it is found again when its address has expired. */
import { createHash } from 'node:crypto';
import type { PageBlock, WireFile, WireProperty } from './wire.ts';

const KEY_UNITS = 16;
const NAME_UNITS_MAX = 200;

/** A file hosted by the workspace. */
export interface FileRef {
  /** Unique and lasting within the workspace. */
  id: string;
  name: string;
  /** Of the bytes: another upload has another. */
  revision: string;
  /** The block that shows it, or the page and the property that hold it. */
  block?: string;
  page?: string;
  property?: string;
  /** Pictures, films and sound: there, but nothing to index. */
  media?: true;
}

const MEDIA_TYPES: ReadonlySet<string> = new Set(['image', 'video', 'audio']);
const MEDIA_ENDINGS =
  /\.(?:png|jpe?g|gif|webp|bmp|tiff?|heic|heif|avif|ico|mp4|m4v|mov|avi|mkv|webm|mp3|m4a|wav|ogg|oga|flac|aac|opus)$/i;

/** Name and address of a file object, or undefined where there is none. */
export function fileOf(file: WireFile): { name: string; url: string; hosted: boolean } | undefined {
  const hosted = file.type === 'file';
  const url = hosted ? file.file?.url : file.external?.url;
  if (url === undefined || !URL.canParse(url)) return undefined;
  const given = file.name?.trim() || lastSegment(url) || 'File';
  return { name: fileName(given), url, hosted };
}

/** Safe as a name: no folders, no control characters, not too long; the ending stays. */
export function fileName(text: string): string {
  const bare = text.replace(/[\u0000-\u001f\u007f/\\]+/g, ' ').trim() || 'Untitled';
  if (bare.length <= NAME_UNITS_MAX) return bare;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(bare)?.[0] ?? '';
  return `${bare.slice(0, NAME_UNITS_MAX - ending.length).replace(/[\ud800-\udbff]$/, '')}${ending}`;
}

export function fileOfBlock(block: PageBlock): FileRef | undefined {
  const file = fileOf(block.content);
  if (!file?.hosted) return undefined;
  const media = MEDIA_TYPES.has(block.type) || MEDIA_ENDINGS.test(file.name);
  return {
    id: `file:${block.id}`,
    name: file.name,
    revision: addressKey(file.url),
    block: block.id,
    ...(media ? { media } : {}),
  };
}

export function filesOfProperties(pageId: string, properties: Record<string, WireProperty> | undefined): FileRef[] {
  return Object.values(properties ?? {}).flatMap((property) =>
    (property.files ?? []).flatMap((wire) => {
      const file = fileOf(wire);
      if (!file?.hosted || property.id === undefined) return [];
      const revision = addressKey(file.url);
      const media = MEDIA_ENDINGS.test(file.name);
      return {
        id: `file:${pageId}:${revision}`,
        name: file.name,
        revision,
        page: pageId,
        property: property.id,
        ...(media ? { media: true as const } : {}),
      };
    }),
  );
}

/** The address without its signature, which is new in every answer: each upload has a path of its own. */
export function addressKey(url: string): string {
  const { host, pathname } = new URL(url);
  return createHash('sha256').update(`${host}${pathname}`).digest('hex').slice(0, KEY_UNITS);
}

function lastSegment(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
