/** Decides which files of a repository are read: by path, by attributes, by their first bytes. Pure. */
import { Buffer } from 'node:buffer';
import { extensionOf, isBinary } from '../../files/detect/file-types.ts';
import { readWordList } from '../../util/package-files.ts';
import { compileGlob, type Glob } from './glob.ts';

/** Bytes of a file that the rules examine. */
export const HEAD_BYTES = 16 * 1024;
/** GitHub accepts no larger files outside LFS. */
const FILE_BYTES_MAX = 100 * 1024 * 1024;
/** Lines at the start of a program that may say that it was generated. */
const HEADER_LINES_MAX = 20;
/** Average length of lines above which a script or style sheet counts as minified. */
const AVERAGE_LINE_UNITS_MAX = 110;
const MINIFIED_ENDINGS: ReadonlySet<string> = new Set(['js', 'mjs', 'cjs', 'css']);
/** In smaller files a long line does not prove that they are minified. */
const MINIFIED_UNITS_MIN = 1000;
const ATTRIBUTE_RULES_MAX = 500;
const LFS_POINTER_BYTES_MAX = 1024;

export interface TreeEntry {
  path: string;
  /** The path in archives, where it is another one. */
  archivePath?: string;
  /** The mode as git writes it: 100644, 100755, 120000, 160000. */
  mode: string;
  sha: string;
  size: number;
}

/** Names of folders with code that other people or tools wrote. */
const VENDORED_FOLDERS = new Set(readWordList('repo/vendored-folders.txt'));

const LOCK_FILES = new Set(readWordList('repo/lock-files.txt'));

const GENERATED_NAMES = [
  /\.min\.(?:js|mjs|css)$/,
  /\.(?:js|mjs|cjs|css)\.map$/,
  /\.pb\.(?:go|cc|h|swift|dart)$/,
  /_pb2(?:_grpc)?\.pyi?$/,
  /_pb\.(?:js|ts|d\.ts)$/,
  /\.(?:g|freezed|mocks|pbenum|pbjson)\.dart$/,
  /\.(?:g|g\.i|designer|generated)\.(?:cs|vb)$/,
  /\.generated\.[a-z]{1,5}$/,
  /(?:^|\/)(?:__generated__|generated-sources)\//,
];

/** Endings of files that no parser reads. */
const UNREAD_ENDINGS = new Set(readWordList('repo/unread-endings.txt'));

/** Endings of programs. Only they are searched for headers of generated code, because a text may mention the same words. */
const PROGRAM_ENDINGS = new Set(readWordList('repo/program-endings.txt'));

/** The attributes of a path in the top `.gitattributes`; undefined where the file does not set them. */
export interface Attributes {
  lfs: boolean | undefined;
  generated: boolean | undefined;
  vendored: boolean | undefined;
}

export type ReadAttributes = (path: string) => Attributes;

export const noAttributes: ReadAttributes = () => ({ lfs: undefined, generated: undefined, vendored: undefined });

export function parseAttributes(text: string): ReadAttributes {
  const rules: { glob: Glob; words: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (rules.length >= ATTRIBUTE_RULES_MAX) break;
    if (!/\b(?:filter|linguist-(?:generated|vendored))\b/.test(line)) continue;
    const [pattern = '', ...words] = line.trim().split(/[ \t]+/);
    const glob = /^["#!]/.test(pattern) ? undefined : compileGlob(pattern);
    if (glob) rules.push({ glob, words });
  }
  return (path) => {
    const words = rules.filter((rule) => rule.glob.matchesItself(path)).flatMap((rule) => rule.words);
    const filter = words.findLast((word) => /^[-!]?filter\b/.test(word));
    return {
      lfs: filter === undefined ? undefined : filter === 'filter=lfs',
      generated: flag(words, 'linguist-generated'),
      vendored: flag(words, 'linguist-vendored'),
    };
  };
}

function flag(words: readonly string[], name: string): boolean | undefined {
  const word = words.findLast((one) => one.replace(/^[-!]/, '').split('=')[0] === name);
  if (word === undefined || word.startsWith('!')) return undefined;
  return !(word.startsWith('-') || word.endsWith('=false'));
}

/**
 * Returns why a file is not fetched, or undefined if it is. A path filter that names a folder such as `dist` includes the
 * folder.
 */
export function refusalByPath(
  entry: TreeEntry,
  attributes: Attributes,
  filters: readonly string[],
): string | undefined {
  if (entry.mode === '160000') return 'a submodule: add its repository as a source of its own';
  if (entry.mode === '120000') return 'a symbolic link';
  const folders = entry.path.split('/').slice(0, -1);
  const isNamedInFilter = (folder: string) =>
    filters.some((filter) => !filter.startsWith('!') && filter.includes(folder));
  const vendored = folders.find((folder) => VENDORED_FOLDERS.has(folder) && !isNamedInFilter(folder));
  if (attributes.vendored ?? vendored !== undefined)
    return vendored === undefined ? 'vendored, by .gitattributes' : `vendored or built: in ${vendored}/`;
  if (attributes.lfs) return 'kept in Git LFS, by .gitattributes';
  if (attributes.generated ?? isGeneratedName(entry.path)) return 'a generated file';
  if (UNREAD_ENDINGS.has(extensionOf(entry.path))) return `no text to read in .${extensionOf(entry.path)} files`;
  if (entry.size > FILE_BYTES_MAX) return `larger than ${FILE_BYTES_MAX / 1024 / 1024} MiB`;
  if (entry.size === 0) return 'an empty file';
  return undefined;
}

/** Returns whether the path is that of a lock file, a minified file, a source map, or another file that a program wrote. */
export function isGeneratedName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return LOCK_FILES.has(name) || GENERATED_NAMES.some((pattern) => pattern.test(path.toLowerCase()));
}

/** Returns why a file is not read, judged by its first bytes. `generated`: the attribute of the path. */
export function refusalByContent(entry: TreeEntry, head: Uint8Array, generated?: boolean): string | undefined {
  const latin = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_BYTES)).toString('latin1');
  if (entry.size <= LFS_POINTER_BYTES_MAX && latin.startsWith('version https://git-lfs.github.com/spec/'))
    return 'kept in Git LFS: the repository has only a pointer to it';
  if (!isDocument(latin) && isBinary(head, extensionOf(entry.path))) return 'a binary file';
  if (generated !== false && isGeneratedProgram(entry, latin)) return 'a generated file';
  return undefined;
}

/** Returns whether the file has a binary format that parsers read: PDF, zip-based formats, Parquet and others. */
function isDocument(latin: string): boolean {
  if (latin.slice(257, 262) === 'ustar') return true;
  return /^(?:[\s\0]{0,1024}%PDF-|PK\x03\x04|PAR1|SQLite format 3\0|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1|\{\\rtf|\x1f\x8b\x08)/.test(
    latin,
  );
}

function isGeneratedProgram(entry: TreeEntry, latin: string): boolean {
  const extension = extensionOf(entry.path);
  if (!PROGRAM_ENDINGS.has(extension)) return false;
  if (isMinified(entry.path, latin)) return true;
  return latin
    .split('\n')
    .slice(0, HEADER_LINES_MAX)
    .some(
      (line) =>
        line.length < 500 &&
        /^\s{0,8}(?:\/[/*]|\*|#|--|;|<!--|'|%)/.test(line) &&
        (/@generated\b|<auto-generated/i.test(line) ||
          (/generated/i.test(line) && /do not (?:edit|modify)/i.test(line))),
    );
}

export function canBeMinified(path: string): boolean {
  return MINIFIED_ENDINGS.has(extensionOf(path));
}

/** Returns whether the file is a script or a style sheet that a program wrote without line breaks. `head`: its first HEAD_BYTES. */
export function isMinified(path: string, head: string): boolean {
  if (!canBeMinified(path) || head.length < MINIFIED_UNITS_MIN) return false;
  return head.length > AVERAGE_LINE_UNITS_MAX * head.split('\n').length;
}
