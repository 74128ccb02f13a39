/**
 * The connector of GitHub repositories: makes a source from each file of one commit.
 *
 * A run requests the commit of the reference, and its tree. Files with a stored hash are not fetched. Many changed files are
 * fetched in one tarball, few of them one by one. All received bytes are checked against their hash.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Origin } from '../../corpus/origin.ts';
import { invalidRequest, ServiceError } from '../../errors.ts';
import {
  type Change,
  type Connector,
  type Fetched,
  type ListRequest,
  OriginError,
  type OriginItem,
} from '../connector.ts';
import {
  type Commit,
  encodePath,
  type RateLimits,
  RepoClient,
  type RepoClientOptions,
  type Repository,
} from './api.ts';
import { compilePathFilters, GLOB_UNITS_MAX } from './glob.ts';
import {
  HEAD_BYTES,
  noAttributes,
  parseAttributes,
  type ReadAttributes,
  refusalByContent,
  refusalByPath,
  type TreeEntry,
} from './rules.ts';
import { tarballFiles } from './tarball.ts';

const PATH_FILTERS_MAX = 100;
const REPOSITORY_FILES_MAX = 100_000;
const REFERENCE_UNITS_MAX = 255;
const CREDENTIAL_UNITS_MAX = 1000;
const MOVED_PATH_UNITS_MAX = 500;
/** Stored files that are looked up together. */
const LOOKUPS_AT_ONCE = 500;
/** Maximum changed files that are fetched one by one. */
export const SINGLE_FETCHES_MAX = 20;
/** If the tarball fails, at most this many files are fetched one by one: more would use up the rate limit. */
const FETCHES_WITHOUT_TARBALL_MAX = 1000;
/** A smaller tarball is always used. A larger one is used only if the run needs this share of the repository's bytes. */
const TARBALL_BYTES_FREE = 64 * 1024 * 1024;
const TARBALL_SHARE_MIN = 0.05;
/** Larger files of a tarball are not held in memory but fetched one by one. */
const TARBALL_FILE_BYTES_MAX = 8 * 1024 * 1024;
const ATTRIBUTES_BYTES_MAX = 512 * 1024;
/** Refused files in the cursor, which are not fetched again. */
const REFUSED_FILES_MAX = 1000;
/**
 * Version of the rules in connectors/repo/rules.ts. After a change of this number unchanged repositories are listed once more.
 */
const RULES_VERSION = 1;

type RepoOrigin = Extract<Origin, { kind: 'repo' }>;

const CursorSchema = z.object({
  rules: z.literal(RULES_VERSION),
  tree: z.string(),
  passed: z.array(z.tuple([z.string(), z.string(), z.string()])),
});
const ResumeSchema = z.object({ commit: z.string() });
const LocatorSchema = z.object({
  sha: z.string(),
  mode: z.string(),
  size: z.number(),
  generated: z.boolean().nullable(),
});

export function openRepoConnector(options: RepoClientOptions): Connector<'repo'> {
  const limits: RateLimits = new Map();
  const client = (origin: RepoOrigin, credential: string | null, signal: AbortSignal) =>
    new RepoClient(options, limits, origin.repository, credential, signal);
  return {
    kind: 'repo',
    list: (origin, credential, request) => list(client(origin, credential, request.signal), origin, request),
    fetch: (origin, credential, item, _stored, signal) => fetchFile(client(origin, credential, signal), item),
    check,
    // The next run compares the whole tree, finds the failed files missing or outdated, and does not fetch refused files again.
    withFailed: (cursor) => ({ ...cursor, tree: '' }),
  };
}

function check(origin: RepoOrigin, credential: string | null): void {
  if (
    !/^[A-Za-z0-9][\w-]{0,99}\/(?!\.{1,2}$)[\w.-]{1,100}$/.test(origin.repository) ||
    /\.git$/i.test(origin.repository)
  )
    throw invalidRequest('repository must have the form owner/repo, for example octocat/hello-world.');
  const { referenceType, referenceParam } = origin;
  if (referenceType === 'default' && referenceParam !== '')
    throw invalidRequest('reference_param must be empty when reference_type is default.');
  if (referenceType === 'commit' && !/^[0-9a-f]{7,64}$/i.test(referenceParam))
    throw invalidRequest('reference_param must be a commit hash of 7 to 64 hexadecimal digits.');
  if ((referenceType === 'branch' || referenceType === 'tag') && !isRefName(referenceParam))
    throw invalidRequest(`reference_param must be the name of a ${referenceType}.`);
  if (origin.pathFilters.length > PATH_FILTERS_MAX)
    throw invalidRequest(`path_filters may have at most ${PATH_FILTERS_MAX} elements.`);
  if (origin.pathFilters.some((filter) => filter.length > GLOB_UNITS_MAX || /[\u0000-\u001f]/.test(filter)))
    throw invalidRequest(`A path filter is one line of at most ${GLOB_UNITS_MAX} characters.`);
  if (credential !== null && !(/^[\x21-\x7e]+$/.test(credential) && credential.length <= CREDENTIAL_UNITS_MAX))
    throw invalidRequest('The access token has characters that no access token has.');
}

/** Returns whether git allows the name for a branch or tag. */
function isRefName(name: string): boolean {
  return (
    name !== '' &&
    name.length <= REFERENCE_UNITS_MAX &&
    name.isWellFormed() &&
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/.test(name) &&
    !name.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'))
  );
}

async function* list(client: RepoClient, origin: RepoOrigin, request: ListRequest): AsyncGenerator<Change> {
  const repository = await client.repository();
  const reference = origin.referenceType === 'default' ? repository.default_branch : origin.referenceParam;
  const prefix = origin.referenceType === 'commit' ? '' : origin.referenceType === 'tag' ? 'tags/' : 'heads/';
  const interrupted = ResumeSchema.safeParse(request.resume).data;
  const commit = await client.commit(interrupted?.commit ?? prefix + reference);
  const cursor = CursorSchema.safeParse(request.cursor).data;
  if (cursor?.tree === commit.tree) {
    yield { kind: 'end', full: false, cursor };
    return;
  }
  // A run that is cut off goes on with the same commit: files that it has stored are not reported again.
  yield { kind: 'checkpoint', resume: { commit: commit.sha } };
  const revision: Revision = { repository, reference, commit };
  const all = distinctPaths(await client.tree(commit.tree));
  const attributesOf = await readAttributes(client, all);
  const matchesFilters = compilePathFilters(origin.pathFilters);
  const entries = all.filter((entry) => matchesFilters(entry.path));
  if (entries.length > REPOSITORY_FILES_MAX)
    throw new OriginError({
      title: 'Too many files',
      message: `${entries.length} files match; the limit is ${REPOSITORY_FILES_MAX}. Narrow them down with path filters.`,
      retryable: false,
    });
  const passed: RefusedFiles = new Map(cursor?.passed.map(([path, sha, reason]) => [path, { sha, reason }]));
  const toFetch = new Map<string, TreeEntry>();
  const added: TreeEntry[] = [];
  for (let at = 0; at < entries.length; at += LOOKUPS_AT_ONCE) {
    const block = entries.slice(at, at + LOOKUPS_AT_ONCE).map((entry) => {
      const before = passed.get(entry.path);
      if (before && before.sha !== entry.sha) passed.delete(entry.path);
      const refusal = refusalByPath(entry, attributesOf(entry.path), origin.pathFilters);
      return { entry, refusal: refusal ?? passed.get(entry.path)?.reason };
    });
    const stored = await Promise.all(
      block.map(({ entry, refusal }) => (refusal === undefined ? request.findStored(entry.path) : undefined)),
    );
    for (const [i, { entry, refusal }] of block.entries()) {
      if (refusal !== undefined) yield skipped(entry, refusal);
      else if (stored[i]?.revision === entry.sha) yield { kind: 'unchanged', originId: entry.path };
      else toFetch.set(entry.path, entry);
      if (refusal === undefined && !stored[i]) added.push(entry);
    }
  }
  const moves = await findMoves(request, all, added);
  if (moves.length > 0) yield { kind: 'moved', moves };
  if (isTarballWorthIt([...toFetch.values()], all)) yield* fromTarball(client, revision, toFetch, attributesOf, passed);
  for (const entry of toFetch.values()) yield { kind: 'present', item: itemOf(revision, entry, attributesOf) };
  const remembered = [...passed].slice(0, REFUSED_FILES_MAX).map(([path, { sha, reason }]) => [path, sha, reason]);
  yield { kind: 'end', full: true, cursor: { rules: RULES_VERSION, tree: commit.tree, passed: remembered } };
}

/**
 * GitHub writes U+FFFD for bytes of a path that are not UTF-8, so several files may have one path. All but the first get a number before
 * their ending, in the order of the tree.
 */
function distinctPaths(entries: readonly TreeEntry[]): TreeEntry[] {
  const listed = new Set(entries.map(({ path }) => path));
  if (listed.size === entries.length) return [...entries];
  const taken = new Set<string>();
  const nextNumbers = new Map<string, number>();
  return entries.map((entry) => {
    let { path } = entry;
    let next = nextNumbers.get(path) ?? 2;
    for (; taken.has(path) || (path !== entry.path && listed.has(path)); next += 1)
      path = entry.path.replace(/(\.[^./]*)?$/, ` (${next})$1`);
    nextNumbers.set(entry.path, next);
    taken.add(path);
    return path === entry.path ? entry : { ...entry, path, archivePath: entry.path };
  });
}

/**
 * Returns the new files whose bytes are stored under a path that no file of the commit has any more: they were renamed. Of several such
 * paths, one with the same name is taken.
 */
async function findMoves(
  request: ListRequest,
  all: readonly TreeEntry[],
  added: readonly TreeEntry[],
): Promise<{ from: string; to: string }[]> {
  if (!request.findRevisions || added.length === 0) return [];
  const present = new Set(all.map(({ path }) => path));
  const free = new Map<string, string[]>();
  // A longer path is stored in another form.
  for (const { originId, revision } of await request.findRevisions(added.map(({ sha }) => sha)))
    if (!present.has(originId) && originId.length < MOVED_PATH_UNITS_MAX)
      free.set(revision, [...(free.get(revision) ?? []), originId]);
  return added.flatMap(({ path, sha }) => {
    const paths = free.get(sha) ?? [];
    const same = paths.findIndex((one) => baseName(one) === baseName(path));
    const [from] = paths.splice(Math.max(same, 0), 1);
    return from === undefined ? [] : [{ from, to: path }];
  });
}

/** Refused files by path. They are not fetched again while they have the same hash. */
type RefusedFiles = Map<string, { sha: string; reason: string }>;

interface Revision {
  repository: Repository;
  reference: string;
  commit: Commit;
}

async function readAttributes(client: RepoClient, entries: readonly TreeEntry[]): Promise<ReadAttributes> {
  const entry = entries.find(({ path, mode }) => path === '.gitattributes' && mode.startsWith('100'));
  if (!entry || entry.size > ATTRIBUTES_BYTES_MAX) return noAttributes;
  const bytes = await Array.fromAsync(await client.blob(entry.sha, ATTRIBUTES_BYTES_MAX));
  return parseAttributes(Buffer.concat(bytes).toString('utf8'));
}

function isTarballWorthIt(toFetch: readonly TreeEntry[], all: readonly TreeEntry[]): boolean {
  if (toFetch.length <= SINGLE_FETCHES_MAX) return false;
  const bytes = (entries: readonly TreeEntry[]) => entries.reduce((sum, entry) => sum + entry.size, 0);
  const total = bytes(all);
  return total <= TARBALL_BYTES_FREE || bytes(toFetch) >= total * TARBALL_SHARE_MIN;
}

/**
 * Reports files of the tarball and removes them from `toFetch`. Files that differ from the tree (`export-subst`), or are missing
 * (`export-ignore`, an interrupted archive), stay in `toFetch`. With `eol=crlf` in `.gitattributes`, an archive has other line ends than
 * the tree in all texts.
 */
async function* fromTarball(
  client: RepoClient,
  revision: Revision,
  toFetch: Map<string, TreeEntry>,
  attributesOf: ReadAttributes,
  passed: RefusedFiles,
): AsyncGenerator<Change> {
  try {
    const body = await client.tarball(revision.commit.sha);
    const wanted = Map.groupBy(toFetch.values(), ({ path, archivePath = path, sha }) => `${sha} ${archivePath}`);
    const inArchive = new Set([...toFetch.values()].map(({ path, archivePath = path }) => archivePath));
    const isAccepted = (path: string, size: number) => inArchive.has(path) && size <= TARBALL_FILE_BYTES_MAX;
    const take = (path: string, bytes: Uint8Array): TreeEntry | undefined => {
      const sha = hashOf({ sha: revision.commit.sha, size: bytes.length }).update(bytes).digest('hex');
      return wanted.get(`${sha} ${path}`)?.shift();
    };
    for await (const { path: archivePath, bytes: archived } of tarballFiles(body, isAccepted)) {
      let bytes = archived;
      let entry = take(archivePath, bytes);
      if (!entry && bytes.includes('\r\n')) {
        bytes = withoutReturns(bytes);
        entry = take(archivePath, bytes);
      }
      if (!entry) continue;
      const { path } = entry;
      toFetch.delete(path);
      const refusal = refusalByContent(entry, bytes.subarray(0, HEAD_BYTES), attributesOf(path).generated);
      if (refusal !== undefined) {
        passed.set(path, { sha: entry.sha, reason: refusal });
        yield skipped(entry, refusal);
      } else
        yield {
          kind: 'present',
          item: itemOf(revision, entry, attributesOf),
          content: { body: Readable.from([bytes]) },
        };
    }
  } catch (error) {
    const isTemporary = error instanceof ServiceError || (error instanceof OriginError && error.problem.retryable);
    if (!isTemporary || toFetch.size > FETCHES_WITHOUT_TARBALL_MAX) throw error;
  }
}

function withoutReturns(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}

function skipped(entry: TreeEntry, reason: string): Change {
  return { kind: 'skipped', originId: entry.path, name: baseName(entry.path), reason };
}

function itemOf(
  { repository, reference, commit }: Revision,
  entry: TreeEntry,
  attributesOf: ReadAttributes,
): OriginItem {
  const text = (val: string) => ({ val, type: 'string' as const });
  return {
    originId: entry.path,
    name: baseName(entry.path),
    url: `${repository.html_url}/blob/${commit.sha}/${encodePath(entry.path)}`,
    revision: entry.sha,
    modifiedAt: commit.date,
    metadata: {
      path: text(entry.path),
      repository: text(repository.full_name),
      reference: text(reference),
      commit: text(commit.sha),
    },
    locator: {
      sha: entry.sha,
      mode: entry.mode,
      size: entry.size,
      generated: attributesOf(entry.path).generated ?? null,
    },
  };
}

async function fetchFile(client: RepoClient, item: OriginItem): Promise<Fetched> {
  const { generated, ...locator } = LocatorSchema.parse(item.locator);
  const entry: TreeEntry = { path: item.originId, ...locator };
  const pieces = await client.blob(entry.sha, entry.size);
  const head: Uint8Array[] = [];
  let length = 0;
  while (length < Math.min(HEAD_BYTES, entry.size)) {
    const next = await pieces.next();
    if (next.done) break;
    head.push(next.value);
    length += next.value.length;
  }
  const refusal = refusalByContent(entry, Buffer.concat(head).subarray(0, HEAD_BYTES), generated ?? undefined);
  if (refusal !== undefined) {
    await pieces.return(undefined);
    return { kind: 'skipped', reason: refusal };
  }
  return { kind: 'content', content: { body: checked(entry, head, pieces) } };
}

/** Passes the bytes on; fails at the end if they do not match the entry's hash. */
async function* checked(
  entry: TreeEntry,
  head: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const hash = hashOf(entry);
  try {
    for (const piece of head) {
      hash.update(piece);
      yield piece;
    }
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      hash.update(next.value);
      yield next.value;
    }
  } finally {
    await rest.return(undefined);
  }
  if (hash.digest('hex') !== entry.sha)
    throw new ServiceError(
      'upstream_failed',
      'GitHub sent bytes that do not match the hash of the file. Try again later.',
    );
}

/** Starts a hash in the way git hashes a blob. `sha` is any hash of the repository: its length tells the algorithm. */
function hashOf(entry: Pick<TreeEntry, 'sha' | 'size'>) {
  return createHash(entry.sha.length === 64 ? 'sha256' : 'sha1').update(`blob ${entry.size}\0`);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
