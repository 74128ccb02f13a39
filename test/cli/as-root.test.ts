/** Operator commands of root on the data of a service that another user runs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runPinakes } from '../support/cli.ts';
import { copyTemplate } from '../support/database.ts';
import { startServiceProcess } from '../support/service-process.ts';

const NOBODY = 65_534;
const NAMELESS = 54_321;
const ROOT = join(import.meta.dirname, '..', '..');
const forRoot = { skip: process.geteuid?.() !== 0 && 'needs root' };

/** Returns a folder that everybody may read, with a folder `data` of the user. */
async function dataOf(t: TestContext, uid: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pinakes-root-'));
  t.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  await copyTemplate(join(folder, 'data'));
  execFileSync('chown', ['-R', `${uid}:${uid}`, join(folder, 'data')]);
  return folder;
}

test('a command of root makes no file of root, which the service could not use', forRoot, async (t) => {
  const dataDir = join(await dataOf(t, NOBODY), 'data');
  const { code, stdout, stderr } = await runPinakes(['doctor'], { PINAKES_DATA_DIR: dataDir });
  assert.match(stdout, /^ok {4}database: embedded/m, `${code} ${stderr}`);
  assertAllOf(NOBODY, dataDir);
});

test('a service that root starts on the data of another user runs as that user', forRoot, async (t) => {
  const dataDir = join(await dataOf(t, NOBODY), 'data');
  const service = await startServiceProcess({ dataDir });
  try {
    assert.equal(statSync(`/proc/${service.pid}`).uid, NOBODY);
    assert.ok(existsSync(join(dataDir, 'operator.key')));
    assertAllOf(NOBODY, dataDir);
  } finally {
    await service.stop();
  }
});

test('the first start of root in an empty folder of another user runs as that user', forRoot, async (t) => {
  const dataDir = join(await dataOf(t, NOBODY), 'data');
  rmSync(join(dataDir, 'database'), { recursive: true });
  const { code, stderr } = await runPinakes(['migrate'], { PINAKES_DATA_DIR: dataDir });
  assert.equal(code, 0, stderr);
  assertAllOf(NOBODY, dataDir);
});

test('root stays root, with a warning, where the user of the service does not reach the data', forRoot, async (t) => {
  const folder = await dataOf(t, NOBODY);
  chmodSync(folder, 0o700);
  const { stdout, stderr } = await runPinakes(['doctor'], { PINAKES_DATA_DIR: join(folder, 'data') });
  assert.match(stdout, /^ok {4}database: embedded/m, stderr);
  assert.match(stderr, /^pinakes: [^\n]*works as root, because that user cannot read them\.\n$/);
});

test('root stays root, with a warning, where it may not become another user', forRoot, async (t) => {
  const dataDir = join(await dataOf(t, NOBODY), 'data');
  for (const capability of ['setuid', 'setgid']) {
    const limits = [`--bounding-set=-${capability}`, `--inh-caps=-${capability}`];
    const { stdout, stderr } = await runPinakes(
      ['doctor'],
      { PINAKES_DATA_DIR: dataDir },
      { through: ['setpriv', ...limits] },
    );
    assert.match(stdout, /^ok {4}database: embedded/m, stderr);
    assert.match(stderr, /^pinakes: [^\n]*works as root, because it may not become that user \(EPERM\)\.\n$/);
  }
});

test('a service whose user may not use the port says which user that is', forRoot, async (t) => {
  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  if (first === 0) return t.skip('every user may use every port');
  const dataDir = join(await dataOf(t, NOBODY), 'data');
  const { code, stderr } = await runPinakes(['serve'], { PINAKES_DATA_DIR: dataDir, PINAKES_PORT: String(first - 1) });
  assert.equal(code, 2, stderr);
  assert.match(
    stderr,
    new RegExp(`^pinakes: PINAKES_PORT ${first - 1} [^\n]* user ${NOBODY} [^\n]*CAP_NET_BIND_SERVICE`),
  );
});

for (const [uid, user] of [
  [NOBODY, userName(NOBODY)],
  [NAMELESS, `'#${NAMELESS}'`],
] as const)
  test(`a command of root whose program ${user} cannot read says how to run it`, forRoot, async (t) => {
    const folder = await dataOf(t, uid);
    const hidden = join(folder, 'hidden');
    mkdirSync(hidden, { mode: 0o700 });
    for (const part of ['src', 'package.json']) cpSync(join(ROOT, part), join(hidden, part), { recursive: true });
    for (const part of ['node_modules', 'data', 'migrations']) symlinkSync(join(ROOT, part), join(hidden, part));
    const bin = join(hidden, 'src', 'cli', 'pinakes.ts');
    const { code, stderr } = await runPinakes(['tenants', 'list'], { PINAKES_DATA_DIR: join(folder, 'data') }, { bin });
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^[^\n]*belong to ${user}, [^\n]*: sudo -u ${user} PINAKES_DATA_DIR=[^\n]*\n$`));
  });

function assertAllOf(uid: number, folder: string): void {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    paths.filter((path) => statSync(join(folder, path)).uid !== uid),
    [],
  );
}

function userName(uid: number): string {
  return execFileSync('id', ['-un', String(uid)], { encoding: 'utf8' }).trim();
}
