/**
 * Starts a separate service, and fuzzes every route with requests made from openapi.json. Needs Schemathesis (Python; not a dependency):
 *
 *     python3 -m venv ~/.venvs/schemathesis && ~/.venvs/schemathesis/bin/pip install schemathesis
 *     npm run fuzz:openapi -- --schemathesis ~/.venvs/schemathesis/bin/schemathesis --examples 50 --seed 1
 *
 * It fails for a server error, an answer that the description does not allow, an accepted invalid request, or a route that works
 * without a key. Limits: --examples (test cases per route and phase, default 50) and --seconds (per phase, default 300).
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startLocalService } from '../src/cli/operate/local-service.ts';
import { openClient } from '../src/cli/shared/client.ts';
import { waitForGroups } from '../src/cli/shared/upload.ts';

/**
 * The check `positive_data_acceptance` is left out. JSON Schema cannot express some rules (one message must be the user's, date_from must
 * be before date_to, keys must be declared), so a request that matches the schema can be answered with 400.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'ignored_auth',
];
const REQUEST_TIMEOUT_SECONDS = '60';
const CONFIG = join(import.meta.dirname, 'schemathesis.toml');

const { values } = parseArgs({
  options: {
    schemathesis: { type: 'string', default: 'schemathesis' },
    examples: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    /** Only these phases, for a short test. */
    phases: { type: 'string' },
  },
});

/** Runs one phase. Each phase has its own time limit. Stateful tests use ids from answers, and must not revoke the key that they use. */
const PHASES: readonly { phases: string; more: string[] }[] =
  values.phases !== undefined
    ? [{ phases: values.phases, more: [] }]
    : [
        { phases: 'examples,coverage', more: [] },
        { phases: 'fuzzing', more: [] },
        {
          phases: 'stateful',
          more: ['--exclude-operation-id', 'revokeApiKey', '--exclude-operation-id', 'rotateApiKey'],
        },
      ];

function run(command: string, args: string[], seconds: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // Schemathesis writes its findings to its working directory.
    const child = spawn(command, args, { stdio: 'inherit', cwd: dataDir });
    // The coverage phase has no limit of its own.
    const timer = setTimeout(() => child.kill('SIGINT'), seconds * 1000);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code ?? 1);
    });
  });
}

const dataDir = await mkdtemp(join(tmpdir(), 'pinakes-fuzz-'));
const service = await startLocalService(dataDir);
let failed = 0;
try {
  const client = openClient(service);
  const form = new FormData();
  form.append('files', new Blob(['# Birds\n\nThe heron nests in the old oak by the river.\n']), 'heron.md');
  form.append('last_modified', '1760000000000');
  const { source_group_id: id } = await client.createLocalFileGroup({ body: form });
  await waitForGroups(client, [id], 1);
  for (const { phases, more } of PHASES) {
    const code = await run(
      values.schemathesis,
      [
        ...['--config-file', CONFIG],
        'run',
        `${service.url}/openapi.json`,
        ...['--header', `x-api-key:${service.apiKey}`, '--phases', phases, '--checks', CHECKS.join(',')],
        ...['--max-examples', values.examples, '--max-time', values.seconds, '--seed', values.seed],
        ...['--request-timeout', REQUEST_TIMEOUT_SECONDS, '--continue-on-failure', '--no-shrink'],
        ...['--generation-database', 'none', '--warnings', 'off', ...more],
      ],
      Number(values.seconds) * 2,
    );
    if (code !== 0) failed++;
  }
} finally {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
