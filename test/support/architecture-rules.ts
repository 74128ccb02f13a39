/** The rules of ARCHITECTURE.md that a machine can check, as pure functions over source text. */

/** Path relative to src/ (with `/`) -> text. */
export type Sources = ReadonlyMap<string, string>;

export interface Import {
  /** As written in the import. */
  specifier: string;
  /** Relative to src/ for imports of our own files, else undefined. */
  target: string | undefined;
  typeOnly: boolean;
}

/** Folders of src/, and single files there, from the lowest to the highest. A file imports from its own line or from lines above it. */
export const ORDER: readonly string[] = [
  'util',
  'errors.ts',
  'text',
  'client',
  'config.ts',
  'db',
  'net',
  'filters',
  'access',
  'jobs',
  'blobs',
  'corpus',
  'vault',
  'llm',
  'redaction',
  'files',
  'answers',
  'connectors',
  'tables',
  'retrieval',
  'ingest',
  'http',
  'features',
  // The roots: main.ts, app.ts, worker.ts, deps.ts and what only they use.
  '*.ts',
  'cli',
];

const IMPORT_PATTERN =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?((?:[\w*{}\s,$]|\btype\b)*?)\s*from\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)\s*import\s*'([^']+)'/g;

export function importsOf(path: string, text: string): Import[] {
  const code = withoutComments(text);
  return [...code.matchAll(IMPORT_PATTERN)].map((match) => {
    const specifier = match[3] ?? match[4] ?? match[5] ?? '';
    const typeOnly = match[3] !== undefined && (match[1] !== undefined || everyNameIsType(match[2] ?? ''));
    return { specifier, target: specifier.startsWith('.') ? resolveTarget(path, specifier) : undefined, typeOnly };
  });
}

/** `{ type A, type B }`: erased as `import type` is. */
function everyNameIsType(clause: string): boolean {
  const names = /^\{([^}]*)\}$/
    .exec(clause.trim())?.[1]
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names !== undefined && names.length > 0 && names.every((name) => name.startsWith('type '));
}

function resolveTarget(path: string, specifier: string): string {
  return new URL(specifier, `file:///${path}`).pathname.slice(1);
}

function rankOf(path: string): number {
  const top = path.split('/')[0]!;
  const rank = ORDER.indexOf(top);
  return rank === -1 && top === path ? ORDER.indexOf('*.ts') : rank;
}

/** Rule 1: no file imports from a folder further down in ORDER, and every file has a place in ORDER. */
export function upwardImports(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    const own = rankOf(path);
    if (own === -1) found.push(`${path} has no place in ORDER`);
    for (const { target } of importsOf(path, text)) {
      if (target !== undefined && rankOf(target) > own) found.push(`${path} imports ${target}`);
    }
  }
  return found;
}

/** Rule 1: neither files nor sibling folders import each other in a circle. Returns one circle for each group that has any. */
export function importCircles(sources: Sources): string[] {
  const files = new Map<string, Set<string>>();
  const siblings = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    for (const { target } of importsOf(path, text)) {
      if (target === undefined || target === path) continue;
      addTo(files, path, target);
      const [from, to] = siblingFolders(path, target) ?? [];
      if (from !== undefined && to !== undefined) addTo(siblings, from, to);
    }
  }
  return [...circlesOf(files), ...circlesOf(siblings)];
}

/** The two folders below the last common folder of both paths; undefined where one path is a file of that folder. */
function siblingFolders(path: string, target: string): [string, string] | undefined {
  const [own, other] = [path.split('/'), target.split('/')];
  const depth = own.findIndex((name, index) => name !== other[index]);
  if (depth >= own.length - 1 || depth >= other.length - 1) return undefined;
  return [own.slice(0, depth + 1).join('/'), other.slice(0, depth + 1).join('/')];
}

function addTo(graph: Map<string, Set<string>>, from: string, to: string): void {
  graph.set(from, (graph.get(from) ?? new Set()).add(to));
}

function circlesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const open: string[] = [];
  const visit = (node: string): void => {
    if (open.includes(node)) found.push([...open.slice(open.indexOf(node)), node].join(' -> '));
    if (done.has(node)) return;
    done.add(node);
    open.push(node);
    for (const next of graph.get(node) ?? []) visit(next);
    open.pop();
  };
  for (const node of graph.keys()) visit(node);
  return found;
}

/** Rule 1: no feature imports another. */
export function importsBetweenFeatures(sources: Sources): string[] {
  const feature = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1];
  return [...sources].flatMap(([path, text]) =>
    importsOf(path, text)
      .filter(
        ({ target }) =>
          feature(path) !== undefined &&
          target !== undefined &&
          feature(target) !== undefined &&
          feature(target) !== feature(path),
      )
      .map(({ target }) => `${path} imports ${target}`),
  );
}

/** Rule 6: only config.ts reads the environment. */
export function environmentReads(sources: Sources): string[] {
  return matching(
    sources,
    /process\s*\.\s*env|process\s*\[|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/,
    // The attack looks for what was left in its own environment.
    (path) => path !== 'config.ts' && path !== 'files/sandbox/attack.ts',
  );
}

const SOCKET_MODULES =
  /^(node:)?(http|https|http2|net|tls|dgram|dns|dns\/promises)$|^(undici|pg|mysql2|ws|axios|got|node-fetch)(\/|$)/;

/** Who may open a connection, and why it is not net/http-client.ts. */
export const SOCKET_USERS: Readonly<Record<string, string>> = {
  'client/client.ts': 'speaks to the service that its user names',
  'cli/shared/client.ts': 'speaks to the address that the person who runs the command configured',
  'cli/operate/admin-client.ts': 'speaks to the Unix socket in the data directory',
  'connectors/database/postgres.ts': 'gives the driver a socket of net/tenant-sockets.ts',
  'connectors/database/mysql.ts': 'gives the driver a socket of net/tenant-sockets.ts',
  'http/server.ts': 'listens',
  'http/register.ts': 'looks at the connection on which a request came',
  'files/sandbox/process-child.ts': 'takes the network away from parsers',
  'tables/engine/child.ts': 'talks to the service that started it over a descriptor',
  'files/sandbox/attack.ts': 'tries, in the sandbox, to reach the service that runs it',
  'admin.ts': 'listens on the Unix socket in the data directory',
};

const CALLS_FETCH = /(?<![.\w#])fetch\(|globalThis\.fetch|new (WebSocket|EventSource)\b/;
/** Connectors have a method `fetch`. */
const DECLARES_FETCH = /^\s*(async )?fetch\(/gm;

/** Rule 9 and the outbound guard: only net/ opens outbound connections. */
export function socketsOutsideNet(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    if (path.startsWith('net/') || path in SOCKET_USERS) continue;
    for (const { specifier, typeOnly } of importsOf(path, text)) {
      if (specifier === 'pg' && path.startsWith('db/')) continue;
      if (!typeOnly && SOCKET_MODULES.test(specifier)) found.push(`${path} imports ${specifier}`);
    }
    const code = withoutComments(text);
    if (CALLS_FETCH.test(path.startsWith('connectors/') ? code.replaceAll(DECLARES_FETCH, '') : code))
      found.push(`${path} calls fetch`);
  }
  return found;
}

const SQL_HOMES = [
  /^db\//,
  /^corpus\//,
  /^jobs\//,
  /^retrieval\//,
  /^access\//,
  /^filters\//,
  /^redaction\//,
  /^vault\//,
  /^(features\/[^/]+|tables)\/([\w-]+-)?store\.ts$/,
];

/** Rule 3: SQL is written in the folders of SQL_HOMES and in the stores of features only. */
export function sqlOutsideStores(sources: Sources): string[] {
  return matching(
    sources,
    /(?<![\w.])sql`|\bexecute(OutsideTransaction)?\(\s*['"`]/,
    (path) => !SQL_HOMES.some((home) => home.test(path)),
  );
}

const WRITE_PATTERN =
  /\b(?:insert\s+into|merge\s+into|delete\s+from|truncate(?:\s+table)?|update)\s+(?:only\s+)?"?([a-z_]+)"?(?=[\s(`;]|$)/gi;

/** Rule 3: one file writes a table. @returns table -> files, only tables with several. */
export function tablesWithSeveralWriters(sources: Sources, tables: ReadonlySet<string>): string[] {
  const writers = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    for (const [, table = ''] of withoutComments(text).matchAll(WRITE_PATTERN)) {
      const name = table.toLowerCase();
      if (tables.has(name)) writers.set(name, (writers.get(name) ?? new Set()).add(path));
    }
  }
  return [...writers]
    .filter(([, paths]) => paths.size > 1)
    .map(([table, paths]) => `${table}: ${[...paths].sort().join(', ')}`);
}

export function tablesOf(migrations: readonly string[]): Set<string> {
  return new Set(
    migrations.flatMap((text) =>
      [...text.matchAll(/create table (?:if not exists )?([a-z_]+)/gi)].map((match) => match[1]!),
    ),
  );
}

/** Rule 12. */
export const FILE_LINES_MAX = 400;
export const FILE_BYTES_MAX = 20 * 1024;
export const LINE_LENGTH_MAX = 140;
export const FOLDER_FILES_MAX = 25;
/** Generated files: nobody reads or edits them. */
const GENERATED: ReadonlySet<string> = new Set(['client/api.ts']);

/** @param lines also looks at the length of lines. Tests are left out: they hold texts of real files, whose lines may be long. */
export function longFiles(sources: Sources, { lines: looksAtLines = true } = {}): string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    if (GENERATED.has(path)) continue;
    const lines = text.split('\n');
    const bytes = Buffer.byteLength(text);
    const isMeasured = looksAtLines && !path.endsWith('.test.ts');
    const longest = isMeasured ? lines.findIndex((line) => line.length > LINE_LENGTH_MAX) : -1;
    if (lines.length - 1 > FILE_LINES_MAX) found.push(`${path}: ${lines.length - 1} lines`);
    if (bytes > FILE_BYTES_MAX) found.push(`${path}: ${bytes} bytes`);
    if (longest !== -1) found.push(`${path}:${longest + 1}: ${lines[longest]!.length} characters`);
  }
  return found;
}

/** Rule 12: returns the folders with more files of their own than FOLDER_FILES_MAX, tests included. */
export function crowdedFolders(paths: Iterable<string>): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.split('/').slice(0, -1).join('/') || '.';
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > FOLDER_FILES_MAX)
    .map(([folder, count]) => `${folder}: ${count} files`);
}

/** Rule 12: no barrels, no default exports, no enum. */
export function forbiddenForms(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    const code = withoutComments(text);
    if (/^\s*export default\b/m.test(code)) found.push(`${path} has a default export`);
    if (/^\s*(export\s+)?(const\s+)?enum\s/m.test(code)) found.push(`${path} has an enum`);
    if (/^\s*export\s+\*/m.test(code)) found.push(`${path} re-exports a whole file`);
  }
  return found;
}

function matching(sources: Sources, pattern: RegExp, isGuarded: (path: string) => boolean): string[] {
  return [...sources]
    .filter(([path, text]) => isGuarded(path) && pattern.test(withoutComments(text)))
    .map(([path]) => path);
}

/** Returns the source without comments. `//` after a colon is kept, because it is part of an address in a string. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|[^:'"`])\/\/.*$/gm, '$1');
}
