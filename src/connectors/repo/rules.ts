/** Which files of a repository are read: by their path, by its attributes, by how they begin. Pure. */
import { Buffer } from 'node:buffer';
import { extensionOf, isBinary } from '../../files/detect/file-types.ts';
import { compileGlob, type Glob } from './glob.ts';

/** Bytes of a file that are looked at. */
export const HEAD_BYTES = 16 * 1024;
/** GitHub takes no larger ones outside LFS. */
export const FILE_BYTES_MAX = 100 * 1024 * 1024;
/** Lines of a program in which it says that it was generated. */
const HEADER_LINES_MAX = 20;
/** Lines of scripts and styles that people write are shorter on average. */
const WRITTEN_LINE_UNITS_MAX = 110;
/** In smaller ones a long line says little. */
const MINIFIED_UNITS_MIN = 1000;
const ATTRIBUTE_RULES_MAX = 500;
const LFS_POINTER_BYTES_MAX = 1024;

export interface TreeEntry {
  path: string;
  /** As git writes it: 100644, 100755, 120000, 160000. */
  mode: string;
  sha: string;
  size: number;
}

/** Folders of what others wrote and of what tools wrote. */
const VENDORED = new Set(
  (
    'node_modules bower_components jspm_packages vendor vendors third_party third-party thirdparty dist Pods Carthage ' +
    'Godeps site-packages .venv venv __pycache__ .yarn .pnpm-store .gradle .git'
  ).split(' '),
);

const LOCK_FILES = new Set(
  (
    'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock cargo.lock composer.lock gemfile.lock ' +
    'poetry.lock pipfile.lock uv.lock pdm.lock go.sum go.work.sum flake.lock mix.lock podfile.lock pubspec.lock ' +
    'packages.lock.json gradle.lockfile'
  ).split(' '),
);

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

/** No parser reads them. */
const UNREADABLE = new Set(
  (
    'png jpg jpeg gif bmp ico webp avif heic tif tiff psd ai xcf sketch fig mp3 wav ogg flac m4a aac mp4 m4v mov avi mkv webm ' +
    'ttf otf woff woff2 eot exe dll so dylib a o obj lib bin dat class jar war ear pyc pyo wasm node pdb elf apk ipa dmg iso ' +
    'bz2 xz 7z rar zst lz4 db sqlite sqlite3 mdb parquet avro orc feather h5 hdf5 npy npz pt pth onnx ' +
    'safetensors ckpt pkl pickle glb gltf blend stl fbx pack idx keystore jks p12 pfx der crt snap'
  ).split(' '),
);

/** Only in programs: a text may speak about the words. */
const PROGRAMS = new Set(
  (
    'js mjs cjs jsx ts mts cts tsx py pyi rb php java kt kts scala groovy c h cc cpp cxx hh hpp cs vb fs go rs swift m mm pl ' +
    'pm lua sh dart ex exs erl hs clj elm ml css scss less sql proto graphql'
  ).split(' '),
);

/** What `.gitattributes` at the top says; undefined where it says nothing. */
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

/** Why a file is not even fetched. `filters`: who names a folder such as `dist` wants it. */
export function refusalByPath(
  entry: TreeEntry,
  attributes: Attributes,
  filters: readonly string[],
): string | undefined {
  if (entry.mode === '160000') return 'a submodule: add its repository as a source of its own';
  if (entry.mode === '120000') return 'a symbolic link';
  const folders = entry.path.split('/').slice(0, -1);
  const named = (folder: string) => filters.some((filter) => !filter.startsWith('!') && filter.includes(folder));
  const vendored = folders.find((folder) => VENDORED.has(folder) && !named(folder));
  if (attributes.vendored ?? vendored !== undefined)
    return vendored === undefined ? 'vendored, by .gitattributes' : `vendored or built: in ${vendored}/`;
  if (attributes.lfs) return 'kept in Git LFS, by .gitattributes';
  if (attributes.generated ?? isGeneratedName(entry.path)) return 'a generated file';
  if (UNREADABLE.has(extensionOf(entry.path))) return `no text to read in .${extensionOf(entry.path)} files`;
  if (entry.size > FILE_BYTES_MAX) return `larger than ${FILE_BYTES_MAX / 1024 / 1024} MiB`;
  if (entry.size === 0) return 'an empty file';
  return undefined;
}

function isGeneratedName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return LOCK_FILES.has(name) || GENERATED_NAMES.some((pattern) => pattern.test(path.toLowerCase()));
}

/** Why a file is not read, from its first bytes. `generated`: what the attributes say. */
export function refusalByContent(entry: TreeEntry, head: Uint8Array, generated?: boolean): string | undefined {
  const latin = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_BYTES)).toString('latin1');
  if (entry.size <= LFS_POINTER_BYTES_MAX && latin.startsWith('version https://git-lfs.github.com/spec/'))
    return 'kept in Git LFS: the repository has only a pointer to it';
  if (!isDocument(latin) && isBinary(head, extensionOf(entry.path))) return 'a binary file';
  if (generated !== false && isGeneratedProgram(entry, latin)) return 'a generated file';
  return undefined;
}

/** Binary formats that parsers read: PDF, zip-based ones, mails of Outlook, RTF, archives. */
function isDocument(latin: string): boolean {
  if (latin.slice(257, 262) === 'ustar') return true;
  return /^(?:[\s\0]{0,1024}%PDF-|PK\x03\x04|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1|\{\\rtf|\x1f\x8b\x08)/.test(latin);
}

function isGeneratedProgram(entry: TreeEntry, latin: string): boolean {
  const extension = extensionOf(entry.path);
  if (!PROGRAMS.has(extension)) return false;
  const lines = latin.split('\n');
  if (['js', 'mjs', 'cjs', 'css'].includes(extension) && isMinified(latin, lines.length)) return true;
  return lines
    .slice(0, HEADER_LINES_MAX)
    .some(
      (line) =>
        line.length < 500 &&
        /^\s{0,8}(?:\/[/*]|\*|#|--|;|<!--|'|%)/.test(line) &&
        (/@generated\b|<auto-generated/i.test(line) ||
          (/generated/i.test(line) && /do not (?:edit|modify)/i.test(line))),
    );
}

function isMinified(latin: string, lines: number): boolean {
  return latin.length >= MINIFIED_UNITS_MIN && latin.length > WRITTEN_LINE_UNITS_MAX * lines;
}
