/** Reads the files of a corpus from the cache. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Corpus, FileSet } from './corpora.ts';
import { packageFolder } from './fetch.ts';

export interface CorpusFile {
  /** Path in the corpus, with slashes: `usage/create.html`. */
  path: string;
  /** Files of one manual share their template. */
  manual: string;
  content: Buffer;
}

const REDIRECT_BYTES_MAX = 4_000;

/** Returns the files by path, without links and redirect pages. @throws Error for a set without files. */
export function readCorpus(corpus: Corpus, cache: string): CorpusFile[] {
  return corpus.sets.flatMap((set) => readSet(set, cache)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function readSet(set: FileSet, cache: string): CorpusFile[] {
  const folder = packageFolder(set.package, cache);
  const roots =
    set.root === '.' ? [folder] : globSync(set.root, { cwd: folder }).map((root) => path.join(folder, root));
  const files = roots.flatMap((root) => readFolder(root, set)).filter(({ content }) => !isStub(content, set));
  if (files.length === 0)
    throw new Error(`${set.package.name} has no files like ${set.root}/${set.include.join(', ')}.`);
  return files;
}

function readFolder(root: string, set: FileSet): CorpusFile[] {
  const found = globSync([...set.include], { cwd: root, exclude: [...(set.exclude ?? [])], withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const inCorpus = path.relative(root, file).replaceAll('\\', '/');
      return { path: set.prefix ? `${set.prefix}/${inCorpus}` : inCorpus, manual: root, content: readFileSync(file) };
    });
}

function isStub(content: Buffer, set: FileSet): boolean {
  if (set.stub !== undefined && content.includes(set.stub)) return true;
  return content.length <= REDIRECT_BYTES_MAX && /<meta http-equiv=["']?refresh/i.test(content.toString('utf8'));
}
