/**
 * `npm run test:server`: runs the test suite on PostgreSQL 17 with pgvector, which the script installs by itself (postgres.ts).
 *
 * With PINAKES_TEST_DATABASE_URL set (a superuser's URL), the suite runs on that server instead.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startPostgres } from './postgres.ts';

async function main(): Promise<number> {
  const given = process.env['PINAKES_TEST_DATABASE_URL'];
  if (given) return runSuite(given);
  if (process.getuid?.() !== 0) {
    console.error(
      'test:server sets PostgreSQL up with debootstrap and needs root; or set PINAKES_TEST_DATABASE_URL to a server.',
    );
    return 1;
  }
  // The data are deleted after the run.
  const server = await startPostgres({ settings: { fsync: 'off' } });
  try {
    return await runSuite(server.url);
  } finally {
    await server.stop();
  }
}

/** The arguments after `--` choose test files; without them, the whole suite. */
async function runSuite(url: string): Promise<number> {
  const runner = join(import.meta.dirname, 'run-tests.ts');
  const child = spawn(process.execPath, [runner, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, PINAKES_TEST_DATABASE_URL: url },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void child.kill(signal));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

process.exitCode = await main();
