/**
 * A server that speaks GitHub's REST API for the repositories it is given: real hashes, pages, conditional requests, rate
 * limits, tarballs behind a redirect to another host.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Faults, openFaults } from '../faults.ts';
import { type GitCommit, type GitEntry, GitRepository } from '../files/git-objects.ts';

const DOCUMENTATION = 'https://docs.github.com/rest';

export interface FakeRepository {
  git: GitRepository;
  /** Only this access token reads the repository; other callers get 404. */
  privateTo?: string;
  defaultBranch: string;
  /** The new name of a moved repository: `owner/name`. */
  movedTo?: string;
}

export interface FakeGitHub {
  /** For PINAKES_REPO_API_URL. */
  url: string;
  /** `owner/name` -> repository. */
  repositories: Map<string, FakeRepository>;
  add(name: string, options?: Partial<FakeRepository>): FakeRepository;
  /** `GET /path?query` of all requests, of both hosts. */
  requests: string[];
  /** Returns the number of requests that match. */
  count(pattern: RegExp): number;
  faults: Faults;
  /** Remaining requests of the hour, as the answers report. */
  rate: { limit: number; remaining: number; resetAt: number };
  /** Maximum entries of a recursive tree; a longer tree is truncated. */
  treeEntriesMax: number;
  /** `Authorization` headers that reached the host of the tarballs. */
  leakedCredentials: string[];
  close(): Promise<void>;
}

export async function openFakeGitHub(): Promise<FakeGitHub> {
  const faults = openFaults();
  const requests: string[] = [];
  const api = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (!faults.apply(request, response)) answer(fake, codeloadUrl, request, response);
  });
  const codeload = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.headers.authorization) fake.leakedCredentials.push(request.headers.authorization);
    if (!faults.apply(request, response)) sendTarball(fake, request, response);
  });
  const url = await listen(api);
  const codeloadUrl = await listen(codeload);
  const fake: FakeGitHub = {
    url,
    repositories: new Map(),
    add(name, options = {}) {
      const repository = { git: new GitRepository(), defaultBranch: 'main', ...options };
      fake.repositories.set(name, repository);
      return repository;
    },
    requests,
    count: (pattern) => requests.filter((line) => pattern.test(line)).length,
    faults,
    rate: { limit: 5000, remaining: 5000, resetAt: Math.floor(Date.now() / 1000) + 3600 },
    treeEntriesMax: 100_000,
    leakedCredentials: [],
    async close() {
      await Promise.all([api, codeload].map(closeServer));
    },
  };
  return fake;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

interface Call {
  fake: FakeGitHub;
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  accept: string;
}

interface Target extends Call {
  name: string;
  repository: FakeRepository;
  codeloadUrl: string;
}

function answer(
  fake: FakeGitHub,
  codeloadUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): ServerResponse {
  const url = new URL(request.url ?? '/', fake.url);
  const call: Call = { fake, request, response, url, accept: request.headers.accept ?? '' };
  const authorization = request.headers.authorization;
  const credential = /^(?:Bearer|token) (.+)$/i.exec(authorization ?? '')?.[1];
  const known = [...fake.repositories.values()].some((one) => one.privateTo === credential);
  if (!request.headers['user-agent']) return refuse(call, 403, 'Request forbidden by administrative rules.');
  if (credential !== undefined && !known && credential !== 'any') return refuse(call, 401, 'Bad credentials');
  if (fake.rate.remaining <= 0) return refuse(call, 403, 'API rate limit exceeded for 203.0.113.7.');
  const [, owner = '', name = '', rest = ''] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
  const fullName = `${decodeURIComponent(owner)}/${decodeURIComponent(name)}`;
  const repository = fake.repositories.get(fullName);
  if (!repository || (repository.privateTo !== undefined && repository.privateTo !== credential))
    return refuse(call, 404, 'Not Found');
  if (repository.movedTo !== undefined) {
    const location = `${fake.url}/repos/${repository.movedTo}${rest}${url.search}`;
    return sendJson(call, { message: 'Moved Permanently', url: location }, 301, { location });
  }
  return route({ ...call, name: fullName, repository, codeloadUrl }, decodeURIComponent(rest));
}

function route(target: Target, path: string): ServerResponse {
  const { git } = target.repository;
  const [, area = '', ref = ''] = /^\/((?:git\/)?[a-z]+)(?:\/(.*))?$/.exec(path) ?? [];
  if (path === '') return sendJson(target, repositoryJson(target));
  if (git.commits.size === 0 && area !== 'branches') return refuse(target, 409, 'Git Repository is empty.');
  if (area === 'branches') return sendBranches(target);
  if (area === 'commits') return sendCommit(target, ref);
  if (area === 'git/commits' && git.commits.has(ref))
    return sendJson(target, commitJson(target, git.commits.get(ref)!));
  if (area === 'git/ref' && git.refs.has(`refs/${ref}`)) return sendJson(target, refJson(target, `refs/${ref}`));
  if (area === 'git/tags' && git.objects.get(ref)?.type === 'tag') return sendJson(target, tagJson(target, ref));
  if (area === 'git/trees') return sendTree(target, ref);
  if (area === 'git/blobs' && git.objects.get(ref)?.type === 'blob') return sendBlob(target, ref);
  if (area === 'contents') return sendContents(target, ref);
  if (area === 'tarball') {
    const commit = git.resolve(ref);
    if (!commit) return refuse(target, 404, 'Not Found');
    const location = `${target.codeloadUrl}/${target.name}/legacy.tar.gz/${commit.sha}`;
    return target.response.writeHead(302, { location, ...rateHeaders(target.fake) }).end();
  }
  return refuse(target, 404, 'Not Found');
}

function repositoryJson({ fake, name, repository }: Target): object {
  const [owner, short] = name.split('/');
  return {
    id: 1296269,
    node_id: 'MDEwOlJlcG9zaXRvcnkxMjk2MjY5',
    name: short,
    full_name: name,
    owner: { login: owner, id: 1, type: 'User' },
    private: repository.privateTo !== undefined,
    html_url: `https://github.com/${name}`,
    url: `${fake.url}/repos/${name}`,
    archive_url: `${fake.url}/repos/${name}/{archive_format}{/ref}`,
    default_branch: repository.defaultBranch,
    size: 108,
    archived: false,
    disabled: false,
    visibility: repository.privateTo === undefined ? 'public' : 'private',
  };
}

function sendBranches(target: Target): ServerResponse {
  const { git } = target.repository;
  const names = [...git.refs.keys()].filter((name) => name.startsWith('refs/heads/')).sort();
  const perPage = Math.min(100, Number(target.url.searchParams.get('per_page') ?? 30));
  const page = Number(target.url.searchParams.get('page') ?? 1);
  const link = (number: number, rel: string) =>
    `<${target.fake.url}/repos/${target.name}/branches?per_page=${perPage}&page=${number}>; rel="${rel}"`;
  const last = Math.ceil(names.length / perPage);
  const links = page < last ? { link: `${link(page + 1, 'next')}, ${link(last, 'last')}` } : undefined;
  const rows = names.slice((page - 1) * perPage, page * perPage).map((name) => ({
    name: name.slice('refs/heads/'.length),
    commit: { sha: git.refs.get(name), url: `${target.fake.url}/repos/${target.name}/commits/${git.refs.get(name)}` },
    protected: false,
  }));
  return sendJson(target, rows, 200, links);
}

function sendCommit(target: Target, ref: string): ServerResponse {
  const commit = target.repository.git.resolve(ref);
  if (!commit) return refuse(target, 422, `No commit found for SHA: ${ref}`);
  if (/application\/vnd\.github\.(?:v3\.)?sha/.test(target.accept))
    return send(target, 200, 'application/vnd.github.sha; charset=utf-8', Buffer.from(commit.sha));
  const { message, author, committer, tree } = commitJson(target, commit);
  const url = `${target.fake.url}/repos/${target.name}/commits/${commit.sha}`;
  return sendJson(target, {
    sha: commit.sha,
    url,
    html_url: `https://github.com/${target.name}/commit/${commit.sha}`,
    commit: { url, author, committer, message, tree, comment_count: 0 },
    parents: commit.parents.map((sha) => ({ sha })),
    files: [],
  });
}

function commitJson(target: Target, commit: GitCommit) {
  const who = { name: 'Ada', email: 'ada@example.com', date: commit.date };
  return {
    sha: commit.sha,
    url: `${target.fake.url}/repos/${target.name}/git/commits/${commit.sha}`,
    author: who,
    committer: who,
    message: commit.message.trimEnd(),
    tree: { sha: commit.tree, url: `${target.fake.url}/repos/${target.name}/git/trees/${commit.tree}` },
    parents: commit.parents.map((sha) => ({ sha })),
  };
}

function refJson(target: Target, ref: string): object {
  const sha = target.repository.git.refs.get(ref)!;
  const type = target.repository.git.objects.get(sha)!.type;
  const plural = type === 'tag' ? 'tags' : 'commits';
  const url = `${target.fake.url}/repos/${target.name}/git`;
  return { ref, url: `${url}/${ref}`, object: { sha, type, url: `${url}/${plural}/${sha}` } };
}

function tagJson(target: Target, sha: string): object {
  const text = target.repository.git.objects.get(sha)!.data.toString();
  const [, object] = /^object (\w+)/.exec(text)!;
  return {
    sha,
    tag: /\ntag (.*)/.exec(text)![1],
    message: text.split('\n\n')[1],
    object: { sha: object, type: 'commit' },
  };
}

function sendTree(target: Target, ref: string): ServerResponse {
  const { git } = target.repository;
  const sha = git.objects.get(ref)?.type === 'tree' ? ref : git.resolve(ref)?.tree;
  if (sha === undefined) return refuse(target, 404, 'Not Found');
  const recursive = target.url.searchParams.has('recursive');
  const entries = recursive ? git.allEntries(sha) : git.entries(sha);
  const max = recursive ? target.fake.treeEntriesMax : entries.length;
  const url = `${target.fake.url}/repos/${target.name}/git`;
  const withUrl = (entry: GitEntry) =>
    entry.type === 'commit' ? entry : { ...entry, url: `${url}/${entry.type}s/${entry.sha}` };
  const tree = entries.slice(0, max).map(withUrl);
  return sendJson(target, { sha, url: `${url}/trees/${sha}`, tree, truncated: entries.length > max });
}

function sendBlob(target: Target, sha: string): ServerResponse {
  const { data } = target.repository.git.objects.get(sha)!;
  if (/application\/vnd\.github\.(?:v3\.)?raw/.test(target.accept))
    return send(target, 200, 'application/vnd.github.raw+json; charset=utf-8', data);
  const content = data.toString('base64').replace(/.{60}/g, '$&\n');
  const url = `${target.fake.url}/repos/${target.name}/git/blobs/${sha}`;
  return sendJson(target, {
    sha,
    node_id: 'MDQ6QmxvYjE=',
    size: data.length,
    url,
    content: `${content}\n`,
    encoding: 'base64',
  });
}

function sendContents(target: Target, path: string): ServerResponse {
  const { git, defaultBranch } = target.repository;
  const commit = git.resolve(target.url.searchParams.get('ref') ?? defaultBranch);
  const entry = commit && git.allEntries(commit.tree).find((one) => one.path === path);
  if (entry?.type !== 'blob') return refuse(target, 404, 'Not Found');
  const { data } = git.objects.get(entry.sha)!;
  if (/application\/vnd\.github\.(?:v3\.)?raw/.test(target.accept))
    return send(target, 200, 'application/vnd.github.raw+json; charset=utf-8', data);
  const name = path.split('/').at(-1);
  const content = data.toString('base64');
  return sendJson(target, { type: 'file', name, path, sha: entry.sha, size: data.length, encoding: 'base64', content });
}

function sendTarball(fake: FakeGitHub, request: IncomingMessage, response: ServerResponse): void {
  const [, name = '', sha = ''] = /^\/([^/]+\/[^/]+)\/legacy\.tar\.gz\/([0-9a-f]+)$/.exec(request.url ?? '') ?? [];
  const { git } = fake.repositories.get(name) ?? {};
  const commit = git?.resolve(sha);
  if (!git || !commit) {
    response.writeHead(404).end('404: Not Found');
    return;
  }
  const folder = `${name.replace('/', '-')}-${sha.slice(0, 7)}`;
  const headers = {
    'content-type': 'application/x-gzip',
    'content-disposition': `attachment; filename=${folder}.tar.gz`,
    etag: `W/"${sha}"`,
  };
  const body = git.tarball(commit, folder);
  for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
  response.end(body);
}

function refuse(call: Call, status: number, message: string): ServerResponse {
  return sendJson(call, { message, documentation_url: DOCUMENTATION, status: String(status) }, status);
}

function sendJson(call: Call, value: unknown, status = 200, headers: Record<string, string> = {}): ServerResponse {
  return send(call, status, 'application/json; charset=utf-8', Buffer.from(JSON.stringify(value)), headers);
}

function rateHeaders({ rate }: FakeGitHub): Record<string, string> {
  return {
    'x-ratelimit-limit': String(rate.limit),
    'x-ratelimit-remaining': String(Math.max(0, rate.remaining)),
    'x-ratelimit-used': String(rate.limit - rate.remaining),
    'x-ratelimit-reset': String(rate.resetAt),
    'x-ratelimit-resource': 'core',
  };
}

function send(
  call: Call,
  status: number,
  type: string,
  body: Buffer,
  headers: Record<string, string> = {},
): ServerResponse {
  const { fake, request, response } = call;
  const etag = `W/"${createHash('sha256').update(body).digest('hex')}"`;
  const unchanged = status === 200 && request.headers['if-none-match'] === etag;
  if (!unchanged && fake.rate.remaining > 0) fake.rate.remaining -= 1;
  const all = {
    ...rateHeaders(fake),
    ...headers,
    'x-github-media-type': 'github.v3',
    ...(status === 200 ? { etag } : {}),
  };
  response.statusCode = unchanged ? 304 : status;
  for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
  if (!unchanged) response.setHeader('content-type', type);
  return response.end(unchanged ? '' : body);
}
