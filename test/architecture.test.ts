/** The tree keeps the rules of ARCHITECTURE.md, and each rule notices when it is broken. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as rules from './support/architecture-rules.ts';

const PROJECT = join(import.meta.dirname, '..');

function read(folder: string, pattern: string): Map<string, string> {
  const root = join(PROJECT, folder);
  return new Map(
    globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }).map((path) => [
      path.replaceAll('\\', '/'),
      readFileSync(join(root, path), 'utf8'),
    ]),
  );
}

function source(path: string, text: string): rules.Sources {
  return new Map([[path, text]]);
}

const all = read('src', '**/*.ts');
const sources = new Map([...all].filter(([path]) => !path.endsWith('.test.ts')));
const consoleFiles = read('console/src', '**/*.{ts,tsx}');
const tables = rules.tablesOf([...read('migrations', '*.sql').values()]);

test('the rules read the real files of src/', () => {
  assert.ok(sources.has('config.ts') && sources.has('http/route.ts'), 'src/ was not read');
  assert.ok(tables.has('source') && tables.has('chunk'), 'migrations/ was not read');
  assert.ok(rules.importsOf('deps.ts', sources.get('deps.ts')!).length > 3, 'no imports were found');
});

test('no file imports from a folder further down in ORDER', () => assert.deepEqual(rules.upwardImports(sources), []));
test('neither files nor sibling folders import each other in a circle', () =>
  assert.deepEqual(rules.importCircles(sources), []));
test('no feature imports another', () => assert.deepEqual(rules.importsBetweenFeatures(sources), []));
test('only config.ts reads the environment', () => assert.deepEqual(rules.environmentReads(sources), []));
test('only net/ and the named files open connections', () => assert.deepEqual(rules.socketsOutsideNet(sources), []));
test('SQL is written in stores only', () => assert.deepEqual(rules.sqlOutsideStores(sources), []));
test('each table is written by one file', () => assert.deepEqual(rules.tablesWithSeveralWriters(sources, tables), []));
test('src/ has no default exports, enums or barrels', () => assert.deepEqual(rules.forbiddenForms(sources), []));

test('the console imports nothing of the service but its client', () => {
  const outside = [...consoleFiles].flatMap(([path, text]) =>
    [...text.matchAll(/from '((?:\.\.\/)+src\/[^']*)'/g)].map((match) => `${path}: ${match[1]}`),
  );
  assert.ok(outside.length > 0, 'no import was found');
  assert.deepEqual(
    outside.filter((one) => !/: (?:\.\.\/)+src\/client\/[\w-]+\.ts$/.test(one)),
    [],
  );
});

test('the console has no default exports, enums or barrels', () =>
  assert.deepEqual(rules.forbiddenForms(consoleFiles), []));

test('the console writes no HTML, and keeps nothing secret in the storage of the browser', () => {
  const written = [...consoleFiles].filter(([, text]) =>
    /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function\(/.test(
      text,
    ),
  );
  assert.deepEqual([...new Map(written).keys()], []);
  const stored = [...consoleFiles].flatMap(([path, text]) =>
    [...text.matchAll(/(?:local|session)Storage\.setItem\(([^,]+),/g)].map((match) => `${path}: ${match[1]}`),
  );
  assert.deepEqual(stored.toSorted(), ["shell/theme.ts: 'theme'", 'words/words.ts: STORED']);
});

test('the styles of the console name sides by the direction of the text', () => {
  const physical =
    /(?<![\w-])-?(?:ml|mr|pl|pr|left|right|border-l|border-r|rounded-l|rounded-r|rounded-tl|rounded-tr|rounded-bl|rounded-br|text-left|text-right)(?:-[\w[\]./%]+)?(?=[\s"'`])/g;
  const found = [...consoleFiles].flatMap(([path, text]) =>
    [...text.matchAll(/className=(?:"[^"]*"|\{[^}]*\})/g)].flatMap(([classes]) =>
      [...classes.matchAll(physical)].map(([name]) => `${path}: ${name}`),
    ),
  );
  assert.deepEqual(found, []);
});

test('no file or line is too long, no folder too full', () => {
  for (const folder of ['src', 'test', 'scripts', 'bench']) {
    const files = read(folder, '**/*.ts');
    assert.deepEqual(rules.longFiles(files, { lines: folder === 'src' }), []);
    assert.deepEqual(rules.crowdedFolders(files.keys()), []);
  }
  // A list of class names and a text of the catalogue are one string, however long.
  const withoutTexts = (text: string): string => text.replace(/className=.*$|(["'`])[^"'`\n]{80,}\1/gm, '""');
  const files = new Map(
    [...consoleFiles]
      .filter(([path]) => path !== 'parts/icon-paths.ts')
      .map(([path, text]) => [path, withoutTexts(text)]),
  );
  assert.deepEqual(rules.longFiles(files, { lines: true }), []);
  assert.deepEqual(rules.crowdedFolders(files.keys()), []);
});

test('every file that is exempt from a rule exists', () => {
  for (const path of Object.keys(rules.SOCKET_USERS))
    assert.ok(sources.has(path), `${path} is gone: remove it from SOCKET_USERS`);
});

describe('the rules notice', () => {
  test('imports against the order of folders and files without a place in it', () => {
    const upward = (path: string, text: string) => rules.upwardImports(source(path, text)).length;
    assert.equal(upward('db/x.ts', "import { a } from '../http/route.ts';"), 1);
    assert.equal(upward('db/x.ts', "import type { A } from '../http/route.ts';"), 1);
    assert.equal(upward('db/x.ts', "const a = await import('../http/route.ts');"), 1);
    assert.equal(upward('db/x.ts', "export { a } from '../http/route.ts';"), 1);
    assert.equal(upward('db/x.ts', "import {\n  a,\n  b,\n} from '../features/search/search.ts';"), 1);
    assert.equal(upward('corpus/x.ts', "import '../files/chunk/chunker.ts';"), 1);
    assert.equal(upward('corpus/x.ts', "import type { ParsedFile } from '../files/parsed.ts';"), 1);
    assert.equal(upward('features/a/routes.ts', "import { runCli } from '../../cli/run.ts';"), 1);
    assert.equal(upward('features/a/routes.ts', "import { openDeps } from '../../deps.ts';"), 1);
    assert.equal(upward('somewhere/x.ts', ''), 1);
    assert.equal(upward('features/a/routes.ts', "import { retrieve } from '../../retrieval/retrieve.ts';"), 0);
    assert.equal(upward('db/x.ts', "// import { a } from '../http/route.ts';"), 0);
  });

  test('circles of imports', () => {
    const circles = (...files: [string, string][]) => rules.importCircles(new Map(files));
    assert.deepEqual(
      circles(['a/x.ts', "import type { Y } from './y.ts';"], ['a/y.ts', "import { x } from './x.ts';"]),
      ['a/x.ts -> a/y.ts -> a/x.ts'],
    );
    const folders = circles(['r/a/x.ts', "import '../b/y.ts';"], ['r/b/z.ts', "import '../a/w.ts';"]);
    assert.deepEqual(folders, ['r/a -> r/b -> r/a']);
    assert.deepEqual(circles(['r/a/x.ts', "import '../types.ts';"], ['r/main.ts', "import './a/x.ts';"]), []);
  });

  test('a feature that imports another', () => {
    assert.equal(
      rules.importsBetweenFeatures(source('features/a/routes.ts', "import { b } from '../b/store.ts';")).length,
      1,
    );
    assert.equal(
      rules.importsBetweenFeatures(source('features/a/routes.ts', "import { b } from './store.ts';")).length,
      0,
    );
  });

  test('reads of the environment', () => {
    assert.equal(rules.environmentReads(source('util/x.ts', 'const home = process.env.HOME;')).length, 1);
    assert.equal(rules.environmentReads(source('util/x.ts', 'const { env } = process;')).length, 1);
    assert.equal(rules.environmentReads(source('util/x.ts', "const home = process['env'];")).length, 1);
    assert.equal(rules.environmentReads(source('config.ts', 'return process.env;')).length, 0);
  });

  test('connections outside net/', () => {
    assert.equal(rules.socketsOutsideNet(source('llm/x.ts', "import { request } from 'undici';")).length, 1);
    assert.equal(rules.socketsOutsideNet(source('llm/x.ts', "import net from 'node:net';")).length, 1);
    assert.equal(rules.socketsOutsideNet(source('llm/x.ts', 'const page = await fetch(url);')).length, 1);
    assert.equal(rules.socketsOutsideNet(source('llm/x.ts', 'const page = await http.fetch(url);')).length, 0);
    assert.equal(rules.socketsOutsideNet(source('connectors/x.ts', '  const page = await fetch(url);')).length, 1);
    assert.equal(rules.socketsOutsideNet(source('connectors/x.ts', '  async fetch(origin) {')).length, 0);
    assert.equal(rules.socketsOutsideNet(source('net/x.ts', "import { request } from 'undici';")).length, 0);
  });

  test('SQL outside stores', () => {
    assert.equal(rules.sqlOutsideStores(source('features/a/routes.ts', 'await tx.query(sql`select 1`);')).length, 1);
    assert.equal(rules.sqlOutsideStores(source('features/a/store.ts', 'await tx.query(sql`select 1`);')).length, 0);
  });

  test('tables with several writers', () => {
    const files = new Map([
      ['corpus/a.ts', 'sql`insert into source (id) values (1)`'],
      ['corpus/b.ts', 'sql`update source set name = 1`'],
      ['corpus/c.ts', 'sql`delete from chunk where true`'],
    ]);
    assert.deepEqual(rules.tablesWithSeveralWriters(files, new Set(['source', 'chunk'])), [
      'source: corpus/a.ts, corpus/b.ts',
    ]);
  });

  test('long files and forbidden forms', () => {
    assert.equal(rules.longFiles(source('a.ts', 'x\n'.repeat(401))).length, 1);
    assert.equal(rules.longFiles(source('a.ts', 'x\n'.repeat(400))).length, 0);
    assert.equal(rules.longFiles(source('a.ts', `${'x'.repeat(99)}\n`.repeat(205))).length, 1);
    assert.equal(rules.longFiles(source('a.ts', 'x'.repeat(141))).length, 1);
    assert.equal(rules.longFiles(source('a.ts', 'x'.repeat(140))).length, 0);
    const folder = (count: number) => Array.from({ length: count }, (_, i) => `a/${i}.ts`);
    assert.deepEqual(rules.crowdedFolders(folder(26)), ['a: 26 files']);
    assert.deepEqual(rules.crowdedFolders(folder(25)), []);
    assert.equal(rules.forbiddenForms(source('a.ts', 'export default 1;')).length, 1);
    assert.equal(rules.forbiddenForms(source('a.ts', 'export enum A { B }')).length, 1);
    assert.equal(rules.forbiddenForms(source('a.ts', "export * from './b.ts';")).length, 1);
  });
});
