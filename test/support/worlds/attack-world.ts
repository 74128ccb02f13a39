/** A service of its own process with two tenants, and a measure of the longest turn of its event loop. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runPinakes } from '../cli.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';
import { eventually, multipartBody, type UploadFile } from '../upload.ts';

const PROBE = pathToFileURL(join(import.meta.dirname, '../loop-probe.ts')).href;

/** What a tenant can do with its key. */
export interface Attacker {
  key: string;
  send(method: string, path: string, body?: unknown, init?: RequestInit): Promise<Response>;
  /** Uploads files as one group and waits until they are searchable. Returns the id of the group. */
  ingest(files: readonly UploadFile[], fields?: readonly (readonly [string, string])[]): Promise<string>;
}

export interface AttackWorld {
  service: ServiceProcess;
  hostile: Attacker;
  quiet: Attacker;
  /** Returns the longest turn of the service's event loop while `work` ran: milliseconds of processor time, 0 if all were short. */
  longestTurn(work: () => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
}

export async function openAttackWorld(env: Record<string, string> = {}): Promise<AttackWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-attack-'));
  const probeFile = join(dataDir, 'turns');
  writeFileSync(probeFile, '');
  const service = await startServiceProcess({
    dataDir: join(dataDir, 'data'),
    env: {
      PINAKES_PARSER_PROCESSES: '1',
      ...env,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${PROBE}`,
      PROBE_FILE: probeFile,
    },
  });
  const created = await runPinakes(['tenants', 'create', 'quiet', '--json'], {
    PINAKES_DATA_DIR: join(dataDir, 'data'),
  });
  assert.equal(created.code, 0, created.stderr);
  const turns = (): number[] => {
    const [mark, ...lines] = readFileSync(probeFile, 'utf8').split('\n').filter(Boolean);
    assert.equal(mark, 'started', 'the probe does not run in the service');
    return lines.map(Number);
  };
  const settle = async (): Promise<void> => {
    // The probe's timer runs before the second request is answered.
    for (let i = 0; i < 2; i++) await (await fetch(`${service.url}/healthz`)).text();
  };
  return {
    service,
    hostile: attackerOf(service.url, service.key),
    quiet: attackerOf(service.url, JSON.parse(created.stdout).key),
    async longestTurn(work) {
      await settle();
      const before = turns().length;
      await work();
      await settle();
      return Math.max(0, ...turns().slice(before));
    },
    async close() {
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function attackerOf(url: string, key: string): Attacker {
  const send: Attacker['send'] = (method, path, body, init = {}) =>
    fetch(path.startsWith('//') ? url + path.slice(1) : `${url}/api/v1${path}`, {
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...init,
      headers: {
        'x-api-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(init.headers as Record<string, string>),
      },
    });
  return {
    key,
    send,
    async ingest(files, fields = []) {
      const { headers, body } = multipartBody(files, fields);
      const answer = await send('POST', '/local-file-groups', undefined, { headers, body });
      const { source_group_id: id } = (await answer.json()) as { source_group_id: string };
      assert.equal(answer.status, 201);
      const status = await eventually(async () => {
        const group = (await (await send('GET', `/local-file-groups/${id}`)).json()) as { status: string };
        return ['success', 'failure'].includes(group.status) && group.status;
      });
      assert.equal(status, 'success');
      return id;
    },
  };
}
