/** Finds files in pages that become sources, and identifies them when their addresses have expired. */
import { createHash } from 'node:crypto';
import type { PageBlock, WireFile, WireProperty } from './wire.ts';

const KEY_UNITS = 16;
const NAME_UNITS_MAX = 200;

/** A file hosted by the workspace. */
export interface FileRef {
  /** Unique and permanent within the workspace. */
  id: string;
  name: string;
  /** Revision of the bytes: another upload has another revision. */
  revision: string;
  /** The block that shows the file, or the page and the property that contain it. */
  block?: string;
  page?: string;
  property?: string;
  /** True for pictures, films and sound, which are not indexed. */
  media?: true;
}

const MEDIA_TYPES: ReadonlySet<string> = new Set(['image', 'video', 'audio']);
const MEDIA_ENDINGS =
  /\.(?:png|jpe?g|gif|webp|bmp|tiff?|heic|heif|avif|ico|mp4|m4v|mov|avi|mkv|webm|mp3|m4a|wav|ogg|oga|flac|aac|opus)$/i;

/** Returns name and address of a file object, or undefined if it has no address. */
export function fileOf(file: WireFile): { name: string; url: string; hosted: boolean } | undefined {
  const hosted = file.type === 'file';
  const url = hosted ? file.file?.url : file.external?.url;
  if (url === undefined || !URL.canParse(url)) return undefined;
  const rawName = file.name?.trim() || lastSegment(url) || 'File';
  return { name: fileName(rawName), url, hosted };
}

/** Returns a safe file name: without folders and control characters, and truncated before its ending if too long. */
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

/** Returns a key of the address without its signature, which changes in every response. Each upload has its own path. */
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
