/** Git objects in memory with real hashes, and commits that are built from paths. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export type GitType = 'blob' | 'tree' | 'commit' | 'tag';

/** Null removes the path. */
export type GitChange = string | Buffer | null | { link: string } | { submodule: string };

export interface GitEntry {
  path: string;
  mode: string;
  type: 'blob' | 'tree' | 'commit';
  sha: string;
  size?: number;
}

interface GitFile {
  mode: string;
  sha: string;
}

export interface GitCommit {
  sha: string;
  tree: string;
  parents: string[];
  message: string;
  date: string;
}

export class GitRepository {
  readonly objects = new Map<string, { type: GitType; data: Buffer }>();
  readonly commits = new Map<string, GitCommit>();
  /** `refs/heads/main` -> hash. */
  readonly refs = new Map<string, string>();
  /** Paths that archives omit, like `export-ignore`. */
  readonly exportIgnored = new Set<string>();
  /** Paths whose bytes differ in archives, like `export-subst`. */
  readonly exportSubstituted = new Set<string>();
  /** As with `* text eol=crlf` in `.gitattributes`. */
  archivesCrlf = false;
  readonly #files = new Map<string, Map<string, GitFile>>();
  #seconds = 1_700_000_000;

  /** Adds a commit to a branch. */
  commit(changes: Record<string, GitChange>, branch = 'main', options: { orphan?: boolean } = {}): string {
    const parent = options.orphan ? undefined : this.refs.get(`refs/heads/${branch}`);
    const files = new Map(parent === undefined ? [] : this.#files.get(parent));
    for (const [path, change] of Object.entries(changes)) {
      if (change === null) files.delete(path);
      else if (typeof change === 'string' || Buffer.isBuffer(change))
        files.set(path, { mode: '100644', sha: this.#store('blob', Buffer.from(change)) });
      else if ('link' in change)
        files.set(path, { mode: '120000', sha: this.#store('blob', Buffer.from(change.link)) });
      else files.set(path, { mode: '160000', sha: change.submodule });
    }
    this.#seconds += 3600;
    const tree = this.#storeTree(files, '');
    const parents = parent === undefined ? [] : [parent];
    const who = `Ada <ada@example.com> ${this.#seconds} +0000`;
    const message = `Change ${Object.keys(changes).length} files\n`;
    const lines = [`tree ${tree}`, ...parents.map((one) => `parent ${one}`), `author ${who}`, `committer ${who}`];
    const sha = this.#store('commit', Buffer.from(`${lines.join('\n')}\n\n${message}`));
    const date = new Date(this.#seconds * 1000).toISOString().replace('.000', '');
    this.commits.set(sha, { sha, tree, parents, message, date });
    this.#files.set(sha, files);
    this.refs.set(`refs/heads/${branch}`, sha);
    return sha;
  }

  tag(name: string, target: string): void {
    this.refs.set(`refs/tags/${name}`, target);
  }

  /** Adds an annotated tag, which is an object. */
  annotatedTag(name: string, target: string): string {
    const head = `object ${target}\ntype commit\ntag ${name}\ntagger Ada <ada@example.com> ${this.#seconds} +0000`;
    const sha = this.#store('tag', Buffer.from(`${head}\n\nRelease ${name}\n`));
    this.refs.set(`refs/tags/${name}`, sha);
    return sha;
  }

  /** Returns the commit of a reference, `heads/x`, `tags/x` or the beginning of a hash. */
  resolve(ref: string): GitCommit | undefined {
    const named = [`refs/${ref}`, `refs/heads/${ref}`, `refs/tags/${ref}`].find((name) => this.refs.has(name));
    const start = named === undefined ? ref : this.refs.get(named)!;
    const tag = this.objects.get(start);
    const target = tag?.type === 'tag' ? /^object (\w+)/.exec(tag.data.toString())![1]! : start;
    if (this.commits.has(target)) return this.commits.get(target);
    if (!/^[0-9a-f]{7,40}$/.test(target)) return undefined;
    return [...this.commits.values()].find((commit) => commit.sha.startsWith(target));
  }

  /** Returns the entries of one tree in the order of git. */
  entries(tree: string): GitEntry[] {
    const { data } = this.objects.get(tree)!;
    const found: GitEntry[] = [];
    for (let at = 0; at < data.length; ) {
      const blank = data.indexOf(0x20, at);
      const nul = data.indexOf(0, blank);
      const mode = data.subarray(at, blank).toString().padStart(6, '0');
      const sha = data.subarray(nul + 1, nul + 21).toString('hex');
      const type = mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob';
      const size = type === 'blob' ? { size: this.objects.get(sha)!.data.length } : {};
      found.push({ path: data.subarray(blank + 1, nul).toString(), mode, type, sha, ...size });
      at = nul + 21;
    }
    return found;
  }

  /** Returns the entries of a tree and of all trees below. */
  allEntries(tree: string, prefix = ''): GitEntry[] {
    return this.entries(tree).flatMap((entry) => {
      const full = { ...entry, path: prefix + entry.path };
      return entry.type === 'tree' ? [full, ...this.allEntries(entry.sha, `${full.path}/`)] : [full];
    });
  }

  /** Returns an archive as `git archive` writes it: a global header with the commit, folders, long names in extended headers. */
  tarball(commit: GitCommit, folder: string): Buffer {
    const parts = [tarEntry('pax_global_header', 'g', paxRecord('comment', commit.sha)), tarEntry(`${folder}/`, '5')];
    for (const { path, mode, type, sha } of this.allEntries(commit.tree)) {
      if (this.exportIgnored.has(path)) continue;
      const name = `${folder}/${path}`;
      const data = type === 'blob' ? this.objects.get(sha)!.data : Buffer.alloc(0);
      if (Buffer.byteLength(name) > 100) parts.push(tarEntry(`${sha}.paxheader`, 'x', paxRecord('path', name)));
      if (type !== 'blob') parts.push(tarEntry(`${name}/`.slice(-100), '5'));
      else if (mode === '120000') parts.push(tarEntry(name.slice(-100), '2', Buffer.alloc(0), data.toString()));
      else parts.push(tarEntry(name.slice(-100), '0', this.#archived(path, data)));
    }
    return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
  }

  /** Returns the bytes of a file as an archive has them. */
  #archived(path: string, data: Buffer): Buffer {
    if (this.exportSubstituted.has(path)) return Buffer.from('other');
    return this.archivesCrlf ? Buffer.from(data.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1') : data;
  }

  #storeTree(files: ReadonlyMap<string, GitFile>, prefix: string): string {
    const entries = new Map<string, GitFile>();
    for (const [path, file] of files) {
      if (!path.startsWith(prefix)) continue;
      const [name = '', ...below] = path.slice(prefix.length).split('/');
      if (below.length === 0) entries.set(name, file);
      else if (!entries.has(name))
        entries.set(name, { mode: '40000', sha: this.#storeTree(files, `${prefix}${name}/`) });
    }
    // Folders sort as if their names ended in a slash.
    const key = ([name, { mode }]: [string, GitFile]) => Buffer.from(mode === '40000' ? `${name}/` : name);
    const sorted = [...entries].sort((a, b) => Buffer.compare(key(a), key(b)));
    const data = sorted.flatMap(([name, { mode, sha }]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')]);
    return this.#store('tree', Buffer.concat(data));
  }

  #store(type: GitType, data: Buffer): string {
    const sha = createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex');
    this.objects.set(sha, { type, data });
    return sha;
  }
}

function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length += 1;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function tarEntry(name: string, type: string, data: Buffer = Buffer.alloc(0), link = ''): Buffer {
  const header = Buffer.alloc(512);
  header.write(name.slice(0, 100), 0);
  header.write('0000664\0', 100);
  header.write('0000000\x000000000\0', 108);
  header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('14524770020\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(link.slice(0, 100), 157);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(7, '0')}\0`, 148);
  return Buffer.concat([header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]);
}
