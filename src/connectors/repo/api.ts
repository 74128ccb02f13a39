/** Sends requests to GitHub's REST API: retries temporary failures, obeys rate limits, explains errors to people. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { HttpClient, HttpResponse } from '../../net/http-client.ts';
import { readStart } from '../../net/response-body.ts';
import { retryAfterMs, retryWait } from '../../net/retry-wait.ts';
import type { Clock } from '../../util/time.ts';
import { OriginError, type OriginProblem } from '../connector.ts';
import type { TreeEntry } from './rules.ts';

const GITHUB_API_URL = 'https://api.github.com';
const API_VERSION = '2022-11-28';
const ATTEMPTS_MAX = 3;
/** The client waits for a rate limit that ends sooner than this. */
export const RATE_LIMIT_WAIT_MS_MAX = 60_000;
/** The wait that GitHub recommends when it limits requests without a time. */
const RATE_LIMIT_WAIT_MS_DEFAULT = 60_000;
const JSON_BYTES_MAX = 2 * 1024 * 1024;
/** A tree of 100,000 entries, GitHub's maximum, with their addresses. */
const TREE_BYTES_MAX = 64 * 1024 * 1024;
const ERROR_BYTES_MAX = 64 * 1024;
const TREE_ENTRIES_MAX = 400_000;
const TREE_REQUESTS_MAX = 2_000;
const TARBALL_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** The files of a tarball are stored while it is being received. */
const TARBALL_TIMEOUT_MS = 60 * 60 * 1000;
const BLOB_TIMEOUT_MS = 5 * 60 * 1000;
/** The hashes of a tree without entries, as SHA-1 and SHA-256. */
const EMPTY_TREES = new Set([
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
]);

const HASH = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
const RepositorySchema = z.object({
  full_name: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/),
  default_branch: z.string().min(1).max(1024),
  html_url: z.string().regex(/^https?:\/\/[^\s]{1,2000}$/),
});
const CommitSchema = z.object({
  sha: HASH,
  tree: z.object({ sha: HASH }),
  committer: z.object({ date: z.iso.datetime({ offset: true }) }),
});
const TreeSchema = z.object({
  truncated: z.boolean(),
  tree: z.array(
    z.object({
      path: z.string().min(1),
      mode: z.string(),
      type: z.enum(['blob', 'tree', 'commit']),
      sha: HASH,
      size: z.number().int().min(0).optional(),
    }),
  ),
});

export type Repository = z.infer<typeof RepositorySchema>;

export interface Commit {
  sha: string;
  tree: string;
  date: Date;
}

/** GitHub's refusal of one request. */
class Refusal extends OriginError {
  readonly status: number;

  constructor(status: number, problem: OriginProblem) {
    super(problem);
    this.status = status;
  }
}

interface RequestOptions {
  accept?: string;
  bytesMax?: number;
  timeoutMs?: number;
}

export interface RepoClientOptions {
  http: HttpClient;
  /** Address of the REST API; null: GitHub's own. */
  baseUrl: string | null;
  clock: Clock;
  /** First wait before a retry. */
  retryBaseMs?: number;
}

/** Maps a digest of a credential to the time when its requests are allowed again, in milliseconds of the clock. */
export type RateLimits = Map<string, number>;
const RATE_LIMITS_MAX = 10_000;

/**
 * The client of one repository, for one run or file. @throws (all methods) OriginError; ServiceError upstream_failed,
 * upstream_timeout.
 */
export class RepoClient {
  readonly #options: RepoClientOptions;
  readonly #limits: RateLimits;
  readonly #limitKey: string;
  readonly #repository: string;
  readonly #credential: string | null;
  readonly #signal: AbortSignal;

  /** @param limits shared by all clients of the process, because GitHub blocks clients that continue while limited. */
  constructor(
    options: RepoClientOptions,
    limits: RateLimits,
    repository: string,
    credential: string | null,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#limits = limits;
    this.#limitKey = createHash('sha256')
      .update(credential ?? '')
      .digest('base64');
    this.#repository = repository;
    this.#credential = credential;
    this.#signal = signal;
  }

  async repository(): Promise<Repository> {
    return this.#json('', RepositorySchema).catch(
      withProblem([404], {
        title: 'The repository was not found',
        message: this.#credential
          ? `There is no repository ${this.#repository}, or the access token may not read it.`
          : `There is no public repository ${this.#repository}. A private one needs an access token.`,
        retryable: false,
      }),
    );
  }

  /** Returns a commit. @param ref `heads/<branch>`, `tags/<tag>` or a commit hash; an annotated tag gives its commit. */
  async commit(ref: string): Promise<Commit> {
    const missing: OriginProblem = {
      title: 'The reference was not found',
      message: `${this.#repository} has no ${describeRef(ref)}. What earlier runs read stays as it is.`,
      retryable: false,
    };
    const empty: OriginProblem = {
      title: 'The repository is empty',
      message: `${this.#repository} has no commits. What earlier runs read stays as it is.`,
      retryable: true,
    };
    const asText = (response: HttpResponse) => response.text();
    const response = await this.#request(
      `/commits/${encodePath(ref)}`,
      { accept: 'application/vnd.github.sha' },
      asText,
    )
      .catch(withProblem([409], empty))
      .catch(withProblem([404, 422], missing));
    const sha = HASH.safeParse(response.trim());
    if (!sha.success) throw unusableResponse();
    const commit = await this.#json(`/git/commits/${sha.data}`, CommitSchema).catch(withProblem([404], missing));
    return { sha: commit.sha, tree: commit.tree.sha, date: new Date(commit.committer.date) };
  }

  /** Returns all files, submodules and links below a tree. Needs more than one request if GitHub truncates the tree. */
  async tree(sha: string): Promise<TreeEntry[]> {
    const entries: TreeEntry[] = [];
    const folders: { sha: string; prefix: string }[] = [{ sha, prefix: '' }];
    let requests = 0;
    for (let folder = folders.pop(); folder; folder = folders.pop()) {
      if (++requests > TREE_REQUESTS_MAX) throw tooLarge(this.#repository);
      const whole = await this.#tree(folder.sha, '?recursive=1');
      const part = whole.truncated ? await this.#tree(folder.sha, '') : whole;
      if (part.truncated) throw tooLarge(this.#repository);
      for (const entry of part.tree) {
        const path = folder.prefix + entry.path;
        if (entry.type !== 'tree') entries.push({ path, mode: entry.mode, sha: entry.sha, size: entry.size ?? 0 });
        else if (whole.truncated) folders.push({ sha: entry.sha, prefix: `${path}/` });
      }
      if (entries.length > TREE_ENTRIES_MAX) throw tooLarge(this.#repository);
    }
    return entries;
  }

  async #tree(sha: string, query: string): Promise<z.infer<typeof TreeSchema>> {
    const tree = await this.#json(`/git/trees/${sha}${query}`, TreeSchema, { bytesMax: TREE_BYTES_MAX });
    // Git has no empty folders; only a whole repository may be empty.
    if (tree.tree.length === 0 && !EMPTY_TREES.has(sha)) throw unusableResponse();
    return tree;
  }

  async blob(sha: string, bytesMax: number): Promise<AsyncGenerator<Uint8Array>> {
    const options = { accept: 'application/vnd.github.raw+json', bytesMax, timeoutMs: BLOB_TIMEOUT_MS };
    return this.#request(`/git/blobs/${sha}`, options, asStream).catch(
      withProblem([404], {
        title: 'The file was not found',
        message: 'The history of the repository was rewritten meanwhile. The next run reads it again.',
        retryable: true,
      }),
    );
  }

  /** Returns a gzipped tar of all files (`git archive`) below one top folder. Follows the redirect to its storage. */
  async tarball(commit: string): Promise<AsyncGenerator<Uint8Array>> {
    const options = { bytesMax: TARBALL_BYTES_MAX, timeoutMs: TARBALL_TIMEOUT_MS };
    return this.#request(`/tarball/${commit}`, options, asStream);
  }

  #json<T>(path: string, schema: z.ZodType<T>, options: RequestOptions = {}): Promise<T> {
    return this.#request(path, options, async (response) => {
      const parsed = schema.safeParse(await response.json());
      if (parsed.success) return parsed.data;
      throw unusableResponse();
    });
  }

  /** Sends a request and reads its 2xx response. Retries temporary failures, also of a response that is truncated. */
  async #request<T>(path: string, options: RequestOptions, read: (response: HttpResponse) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= ATTEMPTS_MAX - 1;
      let wait = retryWait(attempt, undefined, { baseMs: this.#options.retryBaseMs });
      await this.#awaitLimit();
      try {
        const response = await this.#send(path, options);
        if (response.status >= 200 && response.status < 300) return await read(response);
        const message = await errorMessage(response);
        const limited = this.#rateLimit(response, message);
        if (limited === undefined && response.status < 500) throw refusalOf(response.status, message);
        if (limited !== undefined) this.#noteLimit(limited);
        if (limited !== undefined && (last || limited > RATE_LIMIT_WAIT_MS_MAX)) throw this.#limitedUntil(limited);
        if (last) throw refusalOf(response.status, message);
        const askedMs = retryAfterMs(response.headers.get('retry-after'));
        wait = limited ?? retryWait(attempt, askedMs, { baseMs: this.#options.retryBaseMs });
      } catch (error) {
        if (!(error instanceof ServiceError) || this.#signal.aborted) throw error;
        if (last) throw unreachable(error);
      }
      await sleep(wait, undefined, { signal: this.#signal });
    }
  }

  #send(path: string, options: RequestOptions): Promise<HttpResponse> {
    const baseUrl = this.#options.baseUrl ?? GITHUB_API_URL;
    return this.#options.http.request(`${baseUrl}/repos/${encodePath(this.#repository)}${path}`, {
      headers: {
        accept: options.accept ?? 'application/vnd.github+json',
        'x-github-api-version': API_VERSION,
        ...(this.#credential === null ? {} : { authorization: `Bearer ${this.#credential}` }),
      },
      trust: 'operator',
      signal: this.#signal,
      responseBytesMax: options.bytesMax ?? JSON_BYTES_MAX,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    });
  }

  /** Returns the milliseconds until requests are allowed again, or undefined if no rate limit caused the status. */
  #rateLimit(response: HttpResponse, message: string): number | undefined {
    if (response.status !== 403 && response.status !== 429) return undefined;
    const askedMs = retryAfterMs(response.headers.get('retry-after'));
    if (askedMs !== undefined) return askedMs;
    const reset = response.headers.get('x-ratelimit-reset') ?? '';
    if (response.headers.get('x-ratelimit-remaining') === '0' && /^\d{1,11}$/.test(reset))
      return Math.max(0, Number(reset) * 1000 - this.#options.clock.now().getTime());
    if (response.status === 429 || /rate limit|abuse detection/i.test(message)) return RATE_LIMIT_WAIT_MS_DEFAULT;
    return undefined;
  }

  #noteLimit(milliseconds: number): void {
    const now = this.#options.clock.now().getTime();
    if (this.#limits.size >= RATE_LIMITS_MAX)
      for (const [key, until] of this.#limits) if (until <= now) this.#limits.delete(key);
    this.#limits.set(this.#limitKey, now + milliseconds);
  }

  /** Waits for a rate limit that another request met. @throws OriginError for a long one. */
  async #awaitLimit(): Promise<void> {
    const remainingMs = (this.#limits.get(this.#limitKey) ?? 0) - this.#options.clock.now().getTime();
    if (remainingMs > RATE_LIMIT_WAIT_MS_MAX) throw this.#limitedUntil(remainingMs);
    if (remainingMs > 0) await sleep(remainingMs, undefined, { signal: this.#signal });
  }

  #limitedUntil(milliseconds: number): OriginError {
    const until = new Date(this.#options.clock.now().getTime() + milliseconds).toISOString().slice(0, 19);
    const advice = this.#credential === null ? ' An access token has a much higher limit.' : '';
    return new OriginError({
      title: 'The rate limit of GitHub is used up',
      message: `GitHub answers again from ${until.replace('T', ' ')} UTC.${advice}`,
      retryable: true,
    });
  }
}

/** Returns a handler that replaces refusals of these statuses by a more specific problem. */
function withProblem(statuses: readonly number[], problem: OriginProblem): (error: unknown) => never {
  return (error) => {
    if (error instanceof Refusal && statuses.includes(error.status)) throw new OriginError(problem, { cause: error });
    throw error;
  };
}

/** Returns GitHub's own message, which distinguishes refusals. The message is never shown. */
async function errorMessage(response: HttpResponse): Promise<string> {
  try {
    const text = (await readStart(response.body, ERROR_BYTES_MAX)).toString('utf8');
    return z.object({ message: z.string() }).parse(JSON.parse(text)).message;
  } catch {
    return '';
  }
}

function refusalOf(status: number, message: string): Refusal {
  return new Refusal(status, { retryable: status >= 500, ...explanationOf(status, message) });
}

function explanationOf(status: number, message: string): { title: string; message: string } {
  if (status === 401)
    return {
      title: 'GitHub does not accept the access token',
      message: 'The access token is wrong, has expired or was revoked. Store a new one.',
    };
  if (status === 451 || /access blocked/i.test(message))
    return {
      title: 'The repository is blocked',
      message: 'GitHub refuses access to the repository, for legal or other reasons.',
    };
  if (status === 403)
    return {
      title: 'No permission',
      message:
        'The access token may not read this repository. Allow it to read contents, and authorize it for single sign-on if required.',
    };
  if (status >= 500)
    return { title: 'GitHub failed', message: `GitHub answered with status ${status}. Try again later.` };
  return { title: 'GitHub refused a request', message: `GitHub answered with status ${status}.` };
}

/** Returns the body as a stream, which the caller reads while it is received. */
async function asStream(response: HttpResponse): Promise<AsyncGenerator<Uint8Array>> {
  return explainedBody(response.body);
}

async function* explainedBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw error instanceof ServiceError ? unreachable(error) : error;
  }
}

/** Returns an error without the address, which may be private to the operator. */
function unreachable(cause: ServiceError): ServiceError {
  const what =
    cause.code === 'upstream_timeout'
      ? 'GitHub did not answer in time.'
      : 'GitHub did not answer, or its answer was interrupted.';
  return new ServiceError(cause.code, `${what} Try again later.`, { cause });
}

function unusableResponse(): OriginError {
  return new OriginError({
    title: 'GitHub sent an unusable response',
    message: 'Nothing was changed. Check the address of the API, or try again later.',
    retryable: true,
  });
}

function tooLarge(repository: string): OriginError {
  return new OriginError({
    title: 'The repository is too large',
    message: `${repository} has more than ${TREE_ENTRIES_MAX} files, or too many in one folder.`,
    retryable: false,
  });
}

function describeRef(ref: string): string {
  const [, kind, name] = /^(heads|tags)\/(.*)$/s.exec(ref) ?? [];
  if (kind === undefined) return `commit ${ref}`;
  return `${kind === 'heads' ? 'branch' : 'tag'} ${name}`;
}

/** Encodes a path but keeps its slashes. */
export function encodePath(path: string): string {
  return path.toWellFormed().split('/').map(encodeURIComponent).join('/');
}
