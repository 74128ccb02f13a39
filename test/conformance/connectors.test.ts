/** interface.md: drive-folder sources, page-workspace sources, ingestion settings. */
import assert from 'node:assert/strict';
import { newId } from '../../src/util/ids.ts';
import { SECRET_CANARY } from '../support/passages/canary.ts';
import { eventually } from '../support/upload.ts';
import { credentialFor, SOURCE_FORMS, type SourceForm, storeSecret } from '../support/worlds/connector-sources.ts';
import { conformance, hasMembers, listRows, type Row, statuses, type World } from './world.ts';

const SECONDS_OF_DAY = 86_400;
const formOf = (path: string): SourceForm => SOURCE_FORMS.find((form) => form.path === path)!;
const drive = formOf('/drive-sources');
const page = formOf('/page-sources');
const repo = formOf('/repo-sources');

const folderUrl = (length: number) => `${drive.origin['folder_url']}?usp=`.padEnd(length, 'x');
const pageAddress = (length: number) => {
  const end = '-598337872cf94fdf8782e53db20768a5';
  return `https://www.notion.so/${'x'.repeat(length - 22 - end.length)}${end}`;
};

async function bodyOf(w: World, form: SourceForm, more: object = {}): Promise<Record<string, unknown>> {
  return { name: 'n', ...form.origin, secret_id: await storeSecret(w.t, form), ...more };
}

async function create(w: World, form: SourceForm, more: object = {}) {
  const answer = await w.http(`POST ${form.path}`, { body: await bodyOf(w, form, more) });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

interface SourceWords {
  form: SourceForm;
  /** The name that interface.md uses. */
  noun: string;
  member: 'folder_url' | 'page_id';
  credential: string;
  long: (length: number) => string;
}

function sourceRows({ form, noun, member, credential, long }: SourceWords): Row[] {
  const { path, settingPath } = form;
  const key = path.slice(1).replaceAll('-', '_');
  const post = async (w: World, more: object) => w.http(`POST ${path}`, { body: await bodyOf(w, form, more) });
  return [
    {
      says: `POST ${path} (scope ingestion:manage) creates a ${noun} and starts ingestion; response: ${noun}`,
      async holds(w) {
        const source = await create(w, form);
        const runs = await w.http(`GET /source-groups/${source.id}/runs`);
        assert.equal(runs.body.runs.length, 1);
        await eventually(async () => (await w.http(`GET ${path}/${source.id}`)).body.status !== 'queued');
      },
    },
    {
      says: `${noun}: id, name (name of the ingestion setting), ${member}, status (job status), ingestion_setting_id, creation_time, start_time, end_time, error, metadata`,
      async holds(w) {
        const source = await create(w, form, { name: 'Handbooks' });
        hasMembers(source, {
          id: 'uuid',
          name: 'string',
          [member]: 'string',
          status: 'string',
          ingestion_setting_id: 'uuid',
          creation_time: 'integer',
          start_time: 'integer?',
          end_time: 'integer?',
          error: 'object?',
          metadata: 'object',
        });
        hasMembers(source.metadata, { records: 'array' });
        assert.ok(Math.abs(source.creation_time - Date.now() / 1000) < 3600, 'Unix seconds');
        const setting = (await w.http(`GET ${settingPath}/${source.ingestion_setting_id}`)).body;
        assert.deepEqual([source.name, setting.name], ['Handbooks', 'Handbooks']);
        assert.equal(source[member], form.origin[member]);
      },
    },
    {
      says: `POST ${path}: name, required, max length 200`,
      holds: (w) =>
        statuses(
          (name) => post(w, { name }),
          [
            ['x'.repeat(200), 201],
            ['😀'.repeat(200), 201],
            ['x'.repeat(201), 400],
            [undefined, 400],
          ],
        ),
    },
    {
      says: `POST ${path}: ${member}, required, max length 2000`,
      holds: (w) =>
        statuses(
          (value) => post(w, { [member]: value }),
          [
            [long(2000), 201],
            [long(2001), 400],
            [undefined, 400],
          ],
        ),
    },
    {
      says: `POST ${path}: ${credential}, one-time, mutually exclusive with secret_id`,
      async holds(w) {
        const value = credentialFor(form);
        assert.equal((await post(w, { [credential]: value })).status, 400);
        const once = await post(w, { [credential]: value, secret_id: undefined });
        assert.equal(once.status, 201);
        assert.doesNotMatch(once.text, new RegExp(SECRET_CANARY));
      },
    },
    {
      says: `POST ${path}: secret_id, id of a stored secret, mutually exclusive with ${credential}`,
      holds: (w) =>
        statuses(
          (secret_id) => post(w, { secret_id }),
          [
            [undefined, 400],
            [newId(), 404],
            [w.source, 404],
          ],
        ),
    },
    {
      says: `POST ${path}: rrule, RFC 5545 RRULE, requires secret_id, not a one-time key`,
      async holds(w) {
        const rrule = 'FREQ=DAILY;BYHOUR=5;BYMINUTE=0;BYSECOND=0';
        await statuses(
          (rule) => post(w, { rrule: rule }),
          [
            [rrule, 201],
            [`DTSTART;TZID=Europe/Berlin:20260105T060000\nRRULE:${rrule}`, 201],
            ['every day', 400],
          ],
        );
        const once = { secret_id: undefined, [credential]: credentialFor(form) };
        assert.equal((await post(w, { ...once, rrule })).status, 400);
        assert.equal((await post(w, once)).status, 201);
      },
    },
    {
      says: `POST ${path}: metadata, Metadata container, reserved for future use`,
      holds: (w) =>
        statuses(
          (metadata) => post(w, { metadata }),
          [
            [{ records: [{ key: 'k', val: 'v' }] }, 201],
            [{ records: [] }, 201],
            [undefined, 201],
            [[], 400],
          ],
        ),
    },
    ...listRows(path, key),
    {
      says: `GET ${path}: ${key} are ${noun}s`,
      async holds(w) {
        const [first] = (await w.http(`GET ${path}?limit=1`)).body[key];
        hasMembers(first, { id: 'uuid', [member]: 'string', ingestion_setting_id: 'uuid' });
      },
    },
  ];
}

conformance(
  'drive-folder sources',
  sourceRows({
    form: drive,
    noun: 'Drive-folder source',
    member: 'folder_url',
    credential: 'service_account_key',
    long: folderUrl,
  }),
);

conformance(
  'page-workspace sources',
  sourceRows({
    form: page,
    noun: 'Page-workspace source',
    member: 'page_id',
    credential: 'page_token',
    long: pageAddress,
  }),
);

/** PUT of every setting: name and rrule. */
function updateRow(form: SourceForm, response: string): Row {
  return {
    says: `PUT ${form.settingPath}/{id} (scope ingestion:manage): updates name and schedule; name, rrule; response: ${response}`,
    async holds(w) {
      const { ingestion_setting_id: id } = await create(w, form);
      const put = (body: object) => w.http(`PUT ${form.settingPath}/${id}`, { body });
      const { status, body } = await put({ name: 'new', rrule: 'FREQ=WEEKLY' });
      assert.deepEqual([status, body.id, body.name, body.rrule], [200, id, 'new', 'FREQ=WEEKLY']);
      assert.deepEqual((await w.http(`GET ${form.settingPath}/${id}`)).body, body);
      await statuses(put as (value: unknown) => ReturnType<typeof put>, [
        [{ name: 'x'.repeat(200) }, 200],
        [{ name: 'x'.repeat(201) }, 400],
        [{ rrule: 'FREQ=WEEKLY' }, 400],
        [{ name: 'n', rrule: 'x' }, 400],
      ]);
      assert.equal((await w.http(`PUT ${form.settingPath}/${newId()}`, { body: { name: 'n' } })).status, 404);
    },
  };
}

conformance('ingestion settings', [
  {
    says: 'GET /drive-source-settings/{id} (scope ingestion:manage): response Drive-folder ingestion setting: id, name, folder_url, rrule, secret_id (all strings)',
    async holds(w) {
      const rrule = 'FREQ=DAILY';
      for (const more of [{ rrule }, {}, { secret_id: undefined, service_account_key: credentialFor(drive) }]) {
        const { ingestion_setting_id: id } = await create(w, drive, more);
        const { status, body } = await w.http(`GET ${drive.settingPath}/${id}`);
        assert.deepEqual([status, body.id], [200, id]);
        hasMembers(body, {
          id: 'string',
          name: 'string',
          folder_url: 'string',
          rrule: 'string',
          secret_id: 'string',
        });
      }
      assert.equal((await w.http(`GET ${drive.settingPath}/${newId()}`)).status, 404);
    },
  },
  updateRow(drive, 'Drive-folder ingestion setting'),
  updateRow(repo, 'Repository ingestion setting'),
  {
    says: 'Repository ingestion setting: id, name, repository (owner/repo format), path_filters, reference_type (default, branch, tag, commit), reference_param, rrule, secret_id',
    async holds(w) {
      const references = { default: '', branch: 'main', tag: 'v1', commit: '0123456789abcdef0123456789abcdef01234567' };
      for (const [reference_type, reference_param] of Object.entries(references)) {
        const { ingestion_setting_id: id } = await create(w, repo, { reference_type, reference_param });
        const { body } = await w.http(`GET ${repo.settingPath}/${id}`);
        hasMembers(body, {
          id: 'string',
          name: 'string',
          repository: 'string',
          path_filters: 'array',
          reference_type: 'string',
          reference_param: 'string',
          rrule: 'string',
          secret_id: 'string',
        });
        assert.deepEqual([body.reference_type, body.reference_param], [reference_type, reference_param]);
        assert.equal(body.repository, 'acme/manual');
      }
      const refused = await w.http(`POST ${repo.path}`, { body: await bodyOf(w, repo, { reference_type: 'x' }) });
      assert.equal(refused.status, 400);
    },
  },
  {
    says: 'Ingestion sources can recur according to an RFC 5545 recurrence rule (rrule)',
    async holds(w) {
      const { ingestion_setting_id: id } = await create(w, drive, {
        rrule: 'FREQ=DAILY;BYHOUR=5;BYMINUTE=0;BYSECOND=0',
      });
      const { next_run_times: next } = (await w.http(`GET ${drive.settingPath}/${id}`)).body;
      assert.equal(next.length, 5);
      for (const [i, time] of next.entries()) {
        assert.equal(time % SECONDS_OF_DAY, 5 * 3600);
        assert.equal(time - next[0], i * SECONDS_OF_DAY);
      }
    },
  },
]);
