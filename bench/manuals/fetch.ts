/** Fetches the packages of the corpora and unpacks them: `<cache>/debs` holds the packages, `<cache>/x/<package>` their files. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Corpus, Package } from './corpora.ts';

/** Fetches the packages that are not cached yet. @throws Error that names the missing program. */
export function fetchPackages(corpora: readonly Corpus[], cache: string): void {
  const packages = new Set(corpora.flatMap((corpus) => corpus.sets.map((set) => set.package)));
  for (const wanted of packages) {
    const folder = packageFolder(wanted, cache);
    if (existsSync(folder)) continue;
    const archive = findArchive(wanted, cache) ?? download(wanted, cache);
    unpack(wanted, archive, folder);
  }
}

/** Returns the folder of a package: Debian packages without their version, npm packages with it. */
export function packageFolder(wanted: Package, cache: string): string {
  return path.join(cache, 'x', wanted.from === 'npm' ? `${wanted.name}-${wanted.version}` : wanted.name);
}

function archives(cache: string): string {
  return path.join(cache, 'debs');
}

function findArchive(wanted: Package, cache: string): string | undefined {
  const pattern = wanted.from === 'npm' ? `${wanted.name}-${wanted.version}.tgz` : `${wanted.name}_*.deb`;
  const [found] = globSync(pattern, { cwd: archives(cache) });
  return found === undefined ? undefined : path.join(archives(cache), found);
}

function download(wanted: Package, cache: string): string {
  mkdirSync(archives(cache), { recursive: true });
  if (wanted.from === 'npm') {
    run('npm', ['pack', '--silent', `${wanted.name}@${wanted.version}`], archives(cache));
  } else if (!tryRun('apt-get', ['download', `${wanted.name}=${wanted.version}`], archives(cache))) {
    run('apt-get', ['download', wanted.name], archives(cache));
    console.log(`${wanted.name} ${wanted.version} is gone: the current version is used, figures may differ.`);
  }
  const archive = findArchive(wanted, cache);
  if (archive === undefined) throw new Error(`${wanted.name} was downloaded, but there is no file of it.`);
  return archive;
}

function unpack(wanted: Package, archive: string, folder: string): void {
  const unfinished = `${folder}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  if (wanted.from === 'npm') run('tar', ['-xzf', archive, '-C', unfinished], '.');
  else run('dpkg-deb', ['-x', archive, unfinished], '.');
  renameSync(unfinished, folder);
}

function tryRun(command: string, args: readonly string[], cwd: string): boolean {
  try {
    run(command, args, cwd);
    return true;
  } catch (error) {
    if (error instanceof MissingCommand) throw error;
    return false;
  }
}

class MissingCommand extends Error {}

function run(command: string, args: readonly string[], cwd: string): void {
  try {
    execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const help = 'The manuals come from Debian packages: run the bench on Debian 12, or choose others with --corpus';
    throw new MissingCommand(`${command} is not installed. ${help}, or give a folder that has them with --cache.`);
  }
}
