/** Commands that start a program in namespaces of its own: by bubblewrap, or by programs of util-linux. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside, type View } from './views.ts';

/** Paths of the programs that a kind of sandbox needs. */
export type Found = Record<string, string>;

export interface Kind {
  name: 'bubblewrap' | 'unshare';
  /** Names of the programs that must be installed. */
  needs: readonly string[];
  /** Returns the words before a command. `hidden` are folders that the program must not see even inside other folders. */
  command(found: Found, view: View, hidden: readonly string[]): string[];
}

/** Maximum size of `/tmp` inside. It is memory. */
const TMP_BYTES_MAX = 64 * 1024 * 1024;
const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom'];
/** The mount point of the new root. The folder exists on every Linux and has nothing that a view needs. */
const NEW_ROOT = '/sys';

const BUBBLEWRAP: Kind = {
  name: 'bubblewrap',
  needs: ['bwrap'],
  command({ bwrap = '' }, { read, write, system }, hidden) {
    return [
      bwrap,
      // No further user namespaces: code inside gets no rights over namespaces of its own.
      ...['--unshare-user', '--disable-userns', '--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
      ...['--die-with-parent', '--new-session', '--as-pid-1', '--cap-drop', 'ALL', '--chdir', '/'],
      // Read-only: for a service that runs as root, the settings of the kernel in /proc/sys could be written.
      ...(system ? ['--proc', '/proc', '--remount-ro', '/proc', '--size', `${TMP_BYTES_MAX}`, '--tmpfs', '/tmp'] : []),
      ...read.flatMap((path) => ['--ro-bind', path, path]),
      ...DEVICES.flatMap((path) => ['--dev-bind-try', path, path]),
      ...(write === undefined ? [] : ['--bind', write, write]),
      ...masked(read, hidden).flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
      ...['--remount-ro', '/', '--'],
    ];
  },
};

const UNSHARE: Kind = {
  name: 'unshare',
  needs: ['unshare', 'sh', 'mount', 'umount', 'mkdir', 'pivot_root', 'setpriv'],
  command(found, view, hidden) {
    const namespaces = ['--user', '--map-root-user', '--mount', '--net', '--pid', '--ipc', '--uts'];
    return [
      found['unshare']!,
      ...namespaces,
      '--fork',
      '--kill-child',
      found['sh']!,
      '-c',
      script(found, view, hidden),
      'sandbox',
    ];
  },
};

export const KINDS: readonly Kind[] = [BUBBLEWRAP, UNSHARE];

/** Returns a shell script that makes the view its root folder, gives up all rights, and becomes the program of its arguments. */
function script({ mount, umount, mkdir, pivot_root, setpriv }: Found, view: View, hidden: readonly string[]): string {
  const { read, write, system } = view;
  const all = read.some((path) => isInside(setpriv!, path)) ? read : [...read, setpriv!];
  const folders = all.filter(isFolder);
  const files = [...all.filter((path) => !isFolder(path)), ...DEVICES];
  const inside = (path: string) => quoted(`.${path}`);
  const points = ['/old', '/proc', '/tmp', ...folders, ...files.map((path) => dirname(path))];
  // A mount of a folder that forbids programs cannot be changed to one that allows them.
  const bind = (path: string) =>
    `m --bind -o ro,nosuid,nodev ${quoted(path)} ${inside(path)} || m -o remount,bind,ro,nosuid,nodev,noexec ${inside(path)}`;
  return [
    'set -e',
    `m() { ${quoted(mount!)} -n "$@"; }`,
    `m -t tmpfs -o mode=755,nosuid,nodev sandbox ${NEW_ROOT}`,
    `cd ${NEW_ROOT}`,
    // Before the other mounts: some of them may be below it.
    ...(system ? [`${quoted(mkdir!)} ./tmp`, `m -t tmpfs -o size=${TMP_BYTES_MAX},nosuid,nodev sandbox ./tmp`] : []),
    `${quoted(mkdir!)} -p ${[...new Set(points)].map(inside).join(' ')}`,
    ...files.map((path) => `: > ${inside(path)}`),
    ...all.map(bind),
    ...DEVICES.map((path) => `m --bind ${quoted(path)} ${inside(path)}`),
    ...(write === undefined
      ? []
      : [`${quoted(mkdir!)} -p ${inside(write)}`, `m --bind -o nosuid,nodev ${quoted(write)} ${inside(write)}`]),
    ...masked(read, hidden).map((path) => `m -t tmpfs -o ro,mode=755 sandbox ${inside(path)}`),
    // The command that removes the old root reads /proc. A program without a /proc gets the old one removed, too.
    system ? 'm -t proc -o ro,nosuid,nodev,noexec proc ./proc' : 'm --rbind /proc ./proc',
    // The number belongs to the new user namespace. Some systems do not let it be written.
    '(echo 0 > /proc/sys/user/max_user_namespaces) 2> /dev/null || :',
    `m -o remount,bind,ro ${NEW_ROOT}`,
    `${quoted(pivot_root!)} . ./old`,
    'cd /',
    `${quoted(`/old${umount}`)} -l /old${system ? '' : ' /proc'}`,
    'unset PWD OLDPWD',
    `exec ${quoted(setpriv!)} --no-new-privs --bounding-set=-all --inh-caps=-all "$@"`,
  ].join('\n');
}

/** Returns the hidden folders that are inside a readable one. */
function masked(read: readonly string[], hidden: readonly string[]): string[] {
  return hidden.filter((folder) => read.some((path) => isInside(folder, path)));
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
