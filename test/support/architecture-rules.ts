/** The rules of ARCHITECTURE.md that a machine can check, as pure functions over source text. */

/** Path relative to src/ (with `/`) -> text. */
export type Sources = ReadonlyMap<string, string>;

export interface Import {
  /** As written. */
  specifier: string;
  /** Relative to src/ for imports of our own files, else undefined. */
  target: string | undefined;
  typeOnly: boolean;
}

const ROOT_FILES = 'any other file of src/ itself';

/** Inner layers have smaller numbers; an import may go to the same layer or inwards. */
const LAYERS: readonly (readonly string[])[] = [
  ['client', 'db', 'net', 'config.ts', 'errors.ts', 'util'],
  ['corpus', 'jobs', 'llm', 'blobs', 'vault', 'policy', 'http'],
  ['ingest', 'retrieval', 'connectors'],
  ['features'],
  // The roots put everything together: main.ts, app.ts, worker.ts, deps.ts and what only they use.
  ['cli', ROOT_FILES],
];

/** Plain data and ports that outer and inner layers share: importing their types ties nobody to the layer's code. */
const CONTRACTS: ReadonlySet<string> = new Set([
  'deps.ts',
  'connectors/connector.ts',
  'retrieval/types.ts',
  'files/parsed.ts',
  'files/sandbox/file-processor.ts',
  'llm/models.ts',
]);

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

function layerOf(path: string): number {
  const top = path.split('/')[0] ?? path;
  const layer = LAYERS.findIndex((names) => names.includes(top));
  return layer === -1 && top === path ? LAYERS.findIndex((names) => names.includes(ROOT_FILES)) : layer;
}

/** Rule 1: imports point inwards. Every file belongs to a layer. */
export function importsThatPointOutwards(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    const own = layerOf(path);
    if (own === -1) found.push(`${path} belongs to no layer`);
    for (const { target, typeOnly } of importsOf(path, text)) {
      if (target === undefined || layerOf(target) <= own || (typeOnly && CONTRACTS.has(target))) continue;
      found.push(`${path} imports ${target}`);
    }
  }
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
    (path) => path !== 'config.ts',
  );
}

const SOCKET_MODULES =
  /^(node:)?(http|https|http2|net|tls|dgram|dns|dns\/promises)$|^(undici|pg|ws|axios|got|node-fetch)(\/|$)/;

/** Who may open a connection, and why it is not net/http-client.ts. */
export const SOCKET_USERS: Readonly<Record<string, string>> = {
  'client/client.ts': 'speaks to the service that its user names',
  'cli/shared/client.ts': 'speaks to the address that the person who runs the command configured',
  'cli/operate/admin-client.ts': 'speaks to the Unix socket in the data directory',
  'http/server.ts': 'listens',
  'http/register.ts': 'looks at the connection on which a request came',
  'files/sandbox/process-child.ts': 'takes the network away from parsers',
  'admin.ts': 'listens on the Unix socket in the data directory',
};

const CALLS_FETCH = /(?<![.\w#])fetch\(|globalThis\.fetch|new (WebSocket|EventSource)\b/;
/** Connectors have a method of that name. */
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
  /^policy\//,
  /^vault\//,
  /^features\/[^/]+\/([\w-]+-)?store\.ts$/,
];

/** Rule 3: SQL is written in stores, jobs, retrieval and policy only. */
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
/** Nobody reads or edits them. */
const GENERATED: ReadonlySet<string> = new Set(['client/api.ts']);

export function longFiles(sources: Sources): string[] {
  return [...sources]
    .filter(([path, text]) => !GENERATED.has(path) && text.split('\n').length - 1 > FILE_LINES_MAX)
    .map(([path, text]) => `${path}: ${text.split('\n').length - 1} lines`);
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

/** Good enough for rules that look for code: strings that contain `//` after a colon (addresses) are kept. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|[^:'"`])\/\/.*$/gm, '$1');
}
