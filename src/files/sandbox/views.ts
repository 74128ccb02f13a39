/** What parsers and tools see of this machine inside the sandbox. Everything else does not exist for them. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from '../../util/package-files.ts';

export interface View {
  /** Files and folders that the program may read. None is inside another. */
  read: readonly string[];
  /** The folder that the program may write. */
  write?: string | undefined;
  /** Adds a `/proc` with the program's own processes and an empty `/tmp`. LibreOffice needs both. */
  system: boolean;
}

const LIBRARIES = ['/lib', '/lib32', '/lib64', '/usr/lib', '/usr/lib32', '/usr/lib64', '/etc/ld.so.cache'];
/** Folders of package managers that keep programs and libraries elsewhere. */
const STORES = ['/nix/store', '/gnu/store'];
const TOOL_FOLDERS = [
  '/usr',
  '/bin',
  '/sbin',
  '/etc/alternatives',
  '/etc/fonts',
  '/etc/libreoffice',
  '/var/cache/fontconfig',
];
/** Folders whose entries are one program each, such as `/opt/libreoffice7.6`. */
const PROGRAMS = '/opt';

/** Returns the view of a process that runs only Node.js. */
export function nodeView(): View {
  return view([...LIBRARIES, ...STORES, process.execPath]);
}

/** Returns the view of a parser: Node.js, and the code and data of this package. */
export function parserView(script: URL): View {
  return view([...LIBRARIES, ...STORES, process.execPath, ...packagePaths(script)]);
}

/** Returns the view of a process of the table engine: that of a parser, and the folder with the files of its queries. */
export function engineView(script: URL, own: string): View {
  const { read, ...others } = parserView(script);
  return { ...others, read: [...read, own] };
}

/** Returns the view of an installed program. `write` is its own folder. */
export function toolView(command: string, write?: string): View {
  const program = realpathSync(command);
  const parts = program.split(sep);
  const own = parts.slice(0, 3).join(sep);
  const home = program.startsWith(`${PROGRAMS}${sep}`) ? own : dirname(program);
  return {
    ...view([...TOOL_FOLDERS, ...LIBRARIES, ...STORES, dirname(command), home]),
    write,
    system: write !== undefined,
  };
}

/** Returns the files and folders that a parser reads: the code and data of this package, and installed packages. */
export function packagePaths(script: URL): string[] {
  const root = dirname(packageFolder('data'));
  const code = dirname(dirname(import.meta.dirname));
  const modules: string[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    modules.push(join(folder, 'node_modules'));
    if (folder === dirname(folder)) break;
  }
  return outermost([code, join(root, 'data'), join(root, 'package.json'), ...modules, fileURLToPath(script)]);
}

function view(paths: readonly string[]): View {
  return { read: outermost(paths), system: false };
}

/** Returns the existing paths that are not inside another one of them. */
function outermost(paths: readonly string[]): string[] {
  const there = [...new Set(paths)].filter((path) => existsSync(path));
  return there.filter((path) => !there.some((other) => other !== path && isInside(path, other)));
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
