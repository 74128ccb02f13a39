/** What `npm ci` and the published package rely on. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OPTIONAL_PACKAGES } from '../src/llm/embedding/local.ts';

const PROJECT = join(import.meta.dirname, '..');

interface LockedPackage {
  version?: string;
  optionalDependencies?: Record<string, string>;
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(PROJECT, name), 'utf8')) as T;
}

test('the lock file names the packages of every platform: npm ci refuses one that was written where some are missing', () => {
  const { packages } = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json');
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        packages[`${path}/node_modules/${name}`] === undefined && packages[`node_modules/${name}`] === undefined,
    ),
  );
  assert.deepEqual(missing, []);
});

test('the lock file names what the build of the console needs on each platform', () => {
  const { packages } = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json');
  const count = (prefix: string): number =>
    Object.keys(packages).filter((path) => path.startsWith(`node_modules/${prefix}`)).length;
  // A registry that lacks some of them makes a lock file that npm ci refuses elsewhere.
  assert.deepEqual([count('@tailwindcss/oxide-'), count('@rolldown/binding-'), count('lightningcss-')], [12, 16, 11]);
});

test('versions are exact and equal to those of the lock file', () => {
  const consoleManifest = readJson<{ devDependencies: Record<string, string> }>('console/package.json');
  const manifest = readJson<{ dependencies: Record<string, string>; devDependencies: Record<string, string> }>(
    'package.json',
  );
  const { packages } = readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json');
  const all = { ...manifest.dependencies, ...manifest.devDependencies, ...consoleManifest.devDependencies };
  for (const [name, version] of Object.entries(all)) {
    const exact = version.replace(/^npm:.+@/, '');
    assert.match(exact, /^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/, name);
    assert.equal(packages[`node_modules/${name}`]?.version, exact, name);
  }
});

test('every file that package.json names exists', () => {
  const { files, bin } = readJson<{ files: string[]; bin: Record<string, string> }>('package.json');
  for (const name of files.filter((name) => name !== 'dist')) assert.ok(existsSync(join(PROJECT, name)), name);
  // dist/ is built from src/.
  for (const target of Object.values(bin))
    assert.ok(existsSync(join(PROJECT, target.replace('dist/', 'src/').replace(/\.js$/, '.ts'))), target);
});

test('src/ imports every dependency, and no development dependency except optional packages', () => {
  const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = readJson<{
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
    peerDependencies: Record<string, string>;
    peerDependenciesMeta: Record<string, { optional: boolean }>;
  }>('package.json');
  // The start says how to install them: with these versions, which the tests run with.
  assert.deepEqual(peerDependencies, OPTIONAL_PACKAGES);
  for (const [name, version] of Object.entries(peerDependencies)) {
    assert.equal(devDependencies[name], version);
    assert.equal(peerDependenciesMeta[name]?.optional, true);
  }
  const code = globSync('src/**/*.ts', { cwd: PROJECT, exclude: ['**/*.test.ts'] }).map((path) =>
    readFileSync(join(PROJECT, path), 'utf8'),
  );
  const isImported = (name: string): boolean => {
    const statement = new RegExp(
      `(?:from|import|import\\(|require\\(|resolve\\()\\s*'${name.replaceAll('.', '\\.')}(?:/[^']*)?'`,
    );
    return code.some((text) => statement.test(text));
  };
  assert.deepEqual(
    Object.keys(dependencies).filter((name) => !isImported(name)),
    [],
  );
  assert.deepEqual(
    Object.keys(devDependencies).filter((name) => isImported(name)),
    Object.keys(peerDependencies),
  );
});
