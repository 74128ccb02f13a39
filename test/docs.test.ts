/** What the documentation names exists, and what users set and call is documented. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const PROJECT = join(import.meta.dirname, '..');

const pages = new Map(
  globSync('{*,docs/*}.md', { cwd: PROJECT }).map((path) => [path, readFileSync(join(PROJECT, path), 'utf8')]),
);

function page(path: string): string {
  return pages.get(path) ?? assert.fail(`${path} is missing`);
}

/** The anchor that renderers give a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1]!));
}

test('every link of the documentation has a target', () => {
  const broken: string[] = [];
  for (const [path, text] of pages) {
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file = '', anchor] = target.split('#');
      const linked = join(dirname(path), file);
      if (file !== '' && !existsSync(join(PROJECT, linked))) broken.push(`${path}: ${target}`);
      else if (anchor && !anchorsOf(page(file === '' ? path : linked)).includes(anchor))
        broken.push(`${path}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('every npm script that the documentation names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/npm run (?:--silent )?([a-z][a-z:-]*)(?![a-z:…-])/g)].map((match) => ({
      path,
      script: match[1]!,
    })),
  );
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter(({ script }) => scripts[script] === undefined),
    [],
  );
});

test('every setting is documented, and every documented setting exists', () => {
  const names = (text: string): Set<string> => new Set(text.match(/PINAKES_[A-Z0-9]+(?:_[A-Z0-9]+)*/g));
  const read = names(
    globSync('src/**/*.ts', { cwd: PROJECT, exclude: ['**/*.test.ts'] })
      .map((path) => readFileSync(join(PROJECT, path), 'utf8'))
      .join('\n'),
  );
  const documented = names(page('docs/configuration.md')).add('PINAKES_CRASH_AT'); // for tests of crashes only
  assert.deepEqual(
    [...read].filter((name) => !documented.has(name)),
    [],
    'not in docs/configuration.md',
  );
  assert.deepEqual(
    [...names([...pages.values()].join('\n'))].filter((name) => !read.has(name) && !name.startsWith('PINAKES_TEST_')),
    [],
    'not in src/',
  );
});

test('docs/cli.md and the README describe every command', () => {
  const commands = globSync('src/cli/**/*.ts', { cwd: PROJECT, exclude: ['**/*.test.ts'] }).flatMap((path) => [
    ...readFileSync(join(PROJECT, path), 'utf8').matchAll(/: Command = \{\s+name: '([^']+)'/g),
  ]);
  assert.ok(commands.length >= 16, 'no commands were found');
  for (const [, name] of commands) {
    assert.match(page('docs/cli.md'), new RegExp(`pinakes ${name}\\b`), name);
    assert.match(page('README.md'), new RegExp(`^\\|.*\`(?:pinakes )?${name}[\` ]`, 'm'), `README.md: ${name}`);
  }
});

test('the quick start leads to every page of docs/', () => {
  const linked = new Set(
    [...page('docs/quickstart.md').matchAll(/\]\(([\w-]+\.md)/g)].map(([, name]) => `docs/${name}`),
  );
  assert.deepEqual(
    [...pages.keys()].filter((path) => path.startsWith('docs/') && path !== 'docs/quickstart.md' && !linked.has(path)),
    [],
  );
});

test('ARCHITECTURE.md names every folder of src/ and every feature', () => {
  const layout = page('ARCHITECTURE.md');
  for (const folder of globSync('src/*/', { cwd: PROJECT })) {
    const name = folder.replace(/^src[\\/]|[\\/]$/g, '');
    assert.match(layout, new RegExp(`^ {2}${name}/ `, 'm'), `src/${name}/`);
  }
  const features = /^ {2}features\/ ([\s\S]*?)\n\S/m.exec(layout)?.[1]?.split(/\s+/) ?? [];
  const missing = globSync('src/features/*', { cwd: PROJECT }).map((path) => path.replace(/^.*[\\/]/, ''));
  assert.deepEqual(
    missing.filter((name) => !features.includes(name)),
    [],
  );
});

test('every promise of SECURITY.md names tests that exist', () => {
  const [, promises = ''] = /^## Promises\n(.*?)^## /ms.exec(page('SECURITY.md')) ?? [];
  const items = promises.split(/^- /m).slice(1);
  assert.ok(items.length > 30, `${items.length} promises`);
  const problems = items.flatMap((item) =>
    TEST_NAMED.test(item) ? lackingTests(item) : [`names no test: ${item.slice(0, 80)}`],
  );
  assert.deepEqual(problems, []);
});

test('the index of attacks names every attack, and each test that it names exists', () => {
  const index = readFileSync(join(PROJECT, 'test/attacks/README.md'), 'utf8');
  assert.deepEqual(lackingTests(index), []);
  const attacks = globSync('test/attacks/*.test.ts', { cwd: PROJECT });
  assert.deepEqual(
    attacks.filter((file) => !index.includes(`\`${file}\``)),
    [],
  );
});

/** A test file, and in quotes the name of a test in it. */
const TEST_NAMED = /`([\w/.-]+\.test\.ts)`(?:\s+\("([^"]+)"\))?/;

/** Returns what is wrong with the tests that a text names. */
function lackingTests(text: string): string[] {
  return [...text.matchAll(new RegExp(TEST_NAMED, 'g'))].flatMap(([, file = '', name]) => {
    const path = join(PROJECT, file);
    if (!existsSync(path)) return [`${file} does not exist`];
    return name === undefined || readFileSync(path, 'utf8').includes(name) ? [] : [`${file} has no test "${name}"`];
  });
}
