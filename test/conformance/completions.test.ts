/** interface.md: POST /completions, Message, Completion result, rules, events. */
import assert from 'node:assert/strict';
import { parseEvents } from '../../src/client/events.ts';
import { newId } from '../../src/util/ids.ts';
import { conformance, hasMembers, QUESTION, type Row, statuses, type World } from './world.ts';

const message = { role: 'user', content: QUESTION };
const filter = { filters: [{ key: 'k', operator: 'exists' }] };

/** Returns a row about a request member: some values are accepted, others are answered with 400. */
function member(says: string, name: string, good: readonly unknown[], bad: readonly unknown[]): Row {
  return {
    says: `POST /completions: ${says}`,
    holds: (w) =>
      statuses(
        (value) => w.complete({ [name]: value }),
        [...good.map((value) => [value, 200] as const), ...bad.map((value) => [value, 400] as const)],
      ),
  };
}

async function begin(w: World) {
  const { status, body } = await w.complete();
  assert.equal(status, 200);
  return body;
}

async function tree(w: World, id: string): Promise<{ id: string; parent_id: string | null; role: string }[]> {
  return (await w.http(`GET /conversations/${id}`)).body.messages;
}

conformance('POST /completions: request', [
  {
    says: 'Message: role (MessageRole, required, enumeration) and content (string, required, message text)',
    holds: (w) =>
      statuses(
        (messages) => w.http('POST /completions', { body: { messages } }),
        [
          [[message], 200],
          [[{ role: 'system', content: 'Be brief.' }, { role: 'assistant', content: 'Yes.' }, message], 200],
          [[{ role: 'robot', content: QUESTION }], 400],
          [[{ role: 'user' }], 400],
          [[{ content: QUESTION }], 400],
          [[{ role: 'user', content: 1 }], 400],
        ],
      ),
  },
  {
    says: 'messages: array of Message, required; Request body (required)',
    holds: (w) =>
      statuses(
        (body) => w.http('POST /completions', { body }),
        [
          [{}, 400],
          [{ messages: 'x' }, 400],
          [undefined, 400],
        ],
      ),
  },
  member('stream: boolean, no, default false', 'stream', [false], ['true', null]),
  {
    says: 'stream: true streams the response; default false does not',
    async holds(w) {
      assert.match((await w.complete({ stream: true })).headers.get('content-type') ?? '', /^text\/plain/);
      assert.match((await w.complete()).headers.get('content-type') ?? '', /^application\/json/);
    },
  },
  {
    says: 'citation: boolean, default true, include citations',
    async holds(w) {
      assert.ok((await w.complete()).body.choices[0].citations.length > 0);
      assert.ok((await w.complete({ citation: true })).body.choices[0].citations.length > 0);
      assert.deepEqual((await w.complete({ citation: false })).body.choices[0].citations, []);
      await statuses((citation) => w.complete({ citation }), [['yes', 400]]);
    },
  },
  {
    says: 'grounding: boolean, default false; effective only when the model supports it and web_grounding is on, otherwise ignored',
    async holds(w) {
      const { status, body } = await w.complete({ grounding: true });
      assert.equal(status, 200);
      assert.equal('web_citations' in body.choices[0], false);
      await statuses((grounding) => w.complete({ grounding }), [[1, 400]]);
    },
  },
  member('tags: array of string, target tag names', 'tags', [['a']], ['a', [1]]),
  member('tag_ids: array of string, target tag ids', 'tag_ids', [[newId()]], ['a', [1]]),
  member('tag_filter_logic: LogicalOperator', 'tag_filter_logic', ['and', 'or'], ['xor', 1]),
  member(
    'source_types: array of SourceType',
    'source_types',
    [['local_file', 'drive', 'page', 'repo', 'web']],
    [['x'], 'web'],
  ),
  member('file_types: array of FileType', 'file_types', [['html', 'pdf']], [['no such type'], 'pdf']),
  member('date_from: integer, minimum 1735639200', 'date_from', [1735639200], [1735639199, 1735639200.5, '1735639200']),
  member('date_to: integer, minimum 1735639200', 'date_to', [1735639200], [1735639199, 1735639200.5, '1735639200']),
  {
    says: 'date_from, date_to: Unix seconds, start and end of content date range',
    async holds(w) {
      const cited = async (more: object) => (await w.complete(more)).body.choices[0].citations.length > 0;
      assert.deepEqual(
        [
          await cited({ date_from: 1760000000, date_to: 1760000000 }),
          await cited({ date_from: 1760000001 }),
          await cited({ date_to: 1759999999 }),
        ],
        [true, false, false],
      );
    },
  },
  member(
    'domains: array of string, domains to search within; partial matching',
    'domains',
    [['example.org'], ['exam']],
    ['x', [1]],
  ),
  member('metadata: MetadataFilterGroup', 'metadata', [filter], [{}, 'x']),
  member(
    'source_metadata: MetadataFilterGroup, filter on individual source/file metadata',
    'source_metadata',
    [filter],
    [{}, 'x'],
  ),
  member('chunk_metadata: MetadataFilterGroup, filter on chunk-level metadata', 'chunk_metadata', [filter], [{}, 'x']),
  {
    says: 'metadata_filter: filter on declared metadata columns; keys must be declared or the request is rejected with 400',
    async holds(w) {
      const year = { filters: [{ key: 'conformance_year', operator: 'eq', value: 2025 }] };
      await statuses((metadata_filter) => w.complete({ metadata_filter }), [[year, 400]]);
      const body = { key: 'conformance_year', type: 'integer' };
      assert.equal((await w.http('POST /metadata-columns', { body })).status, 201);
      await statuses((metadata_filter) => w.complete({ metadata_filter }), [[year, 200]]);
    },
  },
  member(
    'use_postfilter: boolean, default false, may return fewer than limit results',
    'use_postfilter',
    [true, false],
    ['x'],
  ),
  member('limit: integer, 1..100, default 10', 'limit', [1, 100], [0, 101, 1.5, '10', null]),
  member(
    'authz_policy: pattern ^[a-z][a-z0-9_-]{0,63}$',
    'authz_policy',
    ['default', `a${'-'.repeat(63)}`],
    ['', 'A', '1a', `a${'b'.repeat(64)}`, 'a b'],
  ),
  member('principal_id: max length 256', 'principal_id', ['', 'x'.repeat(256), '😀'.repeat(256)], ['x'.repeat(257)]),
  {
    says: 'authz_policy, principal_id: ignored when authorization is disabled',
    async holds(w) {
      const plain = (await w.complete()).body.choices;
      assert.deepEqual((await w.complete({ principal_id: 'nobody', authz_policy: 'no-such' })).body.choices, plain);
    },
  },
  member('conversation_id: string', 'conversation_id', [], [1]),
  member('parent_message_id: string', 'parent_message_id', [], [1]),
  {
    says: 'parent_message_id: must belong to conversation_id',
    async holds(w) {
      const [one, other] = [await begin(w), await begin(w)];
      await statuses(
        (parent_message_id) => w.complete({ conversation_id: one.conversation_id, parent_message_id }),
        [
          [other.assistant_message_id, 404],
          [one.assistant_message_id, 200],
        ],
      );
    },
  },
  member('regenerate: boolean, default false', 'regenerate', [false], ['x']),
  member('truncation: auto or disabled, default auto', 'truncation', ['auto', 'disabled'], ['none', 1]),
]);

conformance('POST /completions: result and events', [
  {
    says: 'Completion result: created (required, Unix seconds), conversation_id, user_message_id, assistant_message_id (string or null), choices (required)',
    async holds(w) {
      const before = Math.floor(Date.now() / 1000);
      const result = await begin(w);
      hasMembers(result, {
        created: 'integer',
        conversation_id: 'uuid',
        user_message_id: 'uuid',
        assistant_message_id: 'uuid',
        choices: 'array',
      });
      assert.ok(result.created >= before && result.created <= Date.now() / 1000);
      const { active_message_id } = (await w.http(`GET /conversations/${result.conversation_id}`)).body;
      assert.equal(active_message_id, result.assistant_message_id, 'the new active leaf');
    },
  },
  {
    says: 'Choice: index (integer), message {role: always assistant, content: string}, finish_reason (string), citations (array of Content)',
    async holds(w) {
      const [choice] = (await begin(w)).choices;
      hasMembers(choice, { index: 'integer', message: 'object', finish_reason: 'string', citations: 'array' });
      hasMembers(choice.message, { content: 'string' });
      assert.equal(choice.message.role, 'assistant');
    },
  },
  {
    says: 'web_citations: present only when grounding was on and the model used web results',
    async holds(w) {
      assert.equal('web_citations' in (await begin(w)).choices[0], false);
    },
  },
  {
    says: 'stream true and no special Accept header: plain text stream (text/plain)',
    async holds(w) {
      const answer = await w.complete({ stream: true });
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
      assert.equal(answer.text, (await begin(w)).choices[0].message.content);
    },
  },
  {
    says: 'stream true and Accept: text/event-stream: RUN_STARTED (history ids), TEXT_MESSAGE_CONTENT (delta), CUSTOM (citations), RUN_FINISHED (history ids)',
    async holds(w) {
      const answer = await w.complete({ stream: true }, { headers: { accept: 'text/event-stream' } });
      assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
      const events = await Array.fromAsync(parseEvents(new Blob([answer.text]).stream()));
      const of = (type: string) => events.filter((event) => event.type === type);
      const expected = (await begin(w)).choices[0];
      assert.equal(
        of('TEXT_MESSAGE_CONTENT')
          .map(({ delta }) => delta)
          .join(''),
        expected.message.content,
      );
      assert.equal(events[0]?.type, 'RUN_STARTED');
      hasMembers(events[0], { threadId: 'uuid' });
      assert.equal(events.at(-1)?.type, 'RUN_FINISHED');
      hasMembers(events.at(-1)?.result, {
        conversation_id: 'uuid',
        user_message_id: 'uuid',
        assistant_message_id: 'uuid',
      });
      assert.equal(
        of('CUSTOM').find(({ name }) => name === 'citations')?.value?.citations?.length,
        expected.citations.length,
      );
    },
  },
  {
    says: 'The X-Conversation-Id response header carries the conversation id when streaming',
    async holds(w) {
      for (const headers of [{}, { accept: 'text/event-stream' }] as Record<string, string>[]) {
        const answer = await w.complete({ stream: true }, { headers });
        assert.equal((await tree(w, answer.headers.get('x-conversation-id')!)).length, 2);
      }
    },
  },
]);

conformance('POST /completions: rules', [
  {
    says: '1. When conversation_id is omitted, a new conversation is created server-side; its id is returned',
    async holds(w) {
      const [one, other] = [await begin(w), await begin(w)];
      assert.notEqual(one.conversation_id, other.conversation_id);
      assert.equal((await tree(w, one.conversation_id)).length, 2);
    },
  },
  {
    says: '2. only the latest user message in messages is used as new input, and retrieval uses that latest question',
    async holds(w) {
      const { conversation_id } = await begin(w);
      const messages = [{ role: 'user', content: 'Dinosaurs?' }, { role: 'assistant', content: 'No.' }, message];
      const { body } = await w.http('POST /completions', { body: { conversation_id, messages } });
      assert.match(body.choices[0].message.content, /old oak/);
      const contents = (await w.http(`GET /conversations/${conversation_id}`)).body.messages.map(
        (m: { content: string }) => m.content,
      );
      assert.equal(contents.length, 4);
      assert.equal(contents.includes('Dinosaurs?'), false);
    },
  },
  {
    says: '3. When parent_message_id is omitted, the turn continues from the active leaf. Setting it forks a branch',
    async holds(w) {
      const first = await begin(w);
      const { conversation_id } = first;
      const second = (await w.complete({ conversation_id })).body;
      const fork = (await w.complete({ conversation_id, parent_message_id: first.assistant_message_id })).body;
      const parents = new Map((await tree(w, conversation_id)).map((node) => [node.id, node.parent_id]));
      assert.equal(parents.get(second.user_message_id), first.assistant_message_id);
      assert.equal(parents.get(fork.user_message_id), first.assistant_message_id);
      assert.equal(
        (await w.http(`GET /conversations/${conversation_id}`)).body.active_message_id,
        fork.assistant_message_id,
      );
    },
  },
  {
    says: '4. When regenerate is true, a new assistant answer is created as a sibling under parent_message_id, an existing user message',
    async holds(w) {
      const first = await begin(w);
      const { conversation_id } = first;
      const again = { conversation_id, regenerate: true };
      const { body } = await w.complete({ ...again, parent_message_id: first.user_message_id });
      const nodes = await tree(w, conversation_id);
      assert.deepEqual(
        nodes.map(({ role, parent_id }) => [role, parent_id]),
        [
          ['user', null],
          ['assistant', first.user_message_id],
          ['assistant', first.user_message_id],
        ],
      );
      assert.equal(nodes[2]?.id, body.assistant_message_id);
      await statuses(
        (parent_message_id) => w.complete({ ...again, parent_message_id }),
        [
          [first.assistant_message_id, 400],
          [newId(), 404],
          [undefined, 400],
        ],
      );
    },
  },
  {
    says: '5. truncation applies only when conversation_id is set: auto drops the oldest turns, disabled fails with 400 when it does not fit',
    async holds(w) {
      const long = `${QUESTION} ${'heron oak river '.repeat(5_000)}`;
      const messages = [{ role: 'user', content: long }];
      const { conversation_id } = (await w.complete({ messages, truncation: 'disabled' })).body;
      await statuses(
        (truncation) => w.complete({ conversation_id, truncation }),
        [
          ['disabled', 400],
          ['auto', 200],
          [undefined, 200],
        ],
      );
    },
  },
  {
    says: '6. For an existing conversation the response always returns conversation_id; for a new one it is null when nothing was persisted',
    async holds(w) {
      const { conversation_id } = await begin(w);
      const messages = [{ role: 'user', content: 'Dinosaurs in Patagonia?' }];
      const ids = { user_message_id: null, assistant_message_id: null };
      const {
        created: _c,
        choices: _h,
        warnings: _w,
        ...existing
      } = (await w.complete({ conversation_id, messages })).body;
      assert.deepEqual(existing, { conversation_id, ...ids });
      const { created: _d, choices: _i, warnings: _x, ...fresh } = (await w.complete({ messages })).body;
      assert.deepEqual(fresh, { conversation_id: null, ...ids });
    },
  },
]);
