/** Changes to the files of a group, as a client makes them. */
import assert from 'node:assert/strict';
import type { GroupSource } from '../../src/client/api.ts';
import type { TestApp } from './app.ts';
import { ingest, multipartBody, waitForGroup } from './upload.ts';

export type Files = Record<string, string | Uint8Array>;

export interface Change {
  mode?: string;
  moves?: { from: string; to: string }[];
  fields?: [string, string][];
  headers?: Record<string, string>;
  key?: string;
}

/** Returns the figures that are not zero. */
export const counts = ({ added, updated, moved, unchanged, deleted }: Record<string, number>) =>
  Object.fromEntries(Object.entries({ added, updated, moved, unchanged, deleted }).filter(([, n]) => n !== 0));

/** Returns the figures of a run that are not zero. */
export const statistics = (run: { statistics: Record<string, number> }) =>
  Object.fromEntries(Object.entries(run.statistics).filter(([, n]) => n !== 0));

/** @param service is called by each function: the service may start later. */
export function fileChanges(service: () => TestApp) {
  /** Changes the files of a group by PUT; `files` is path -> content. */
  async function change(id: string, files: Files, { mode, moves, fields = [], headers = {}, key }: Change = {}) {
    const form = multipartBody(
      Object.entries(files).map(([path, content]) => ({ name: path.split('/').at(-1)!, content })),
      [
        ...Object.keys(files).map((path): [string, string] => ['paths', path]),
        ...(mode === undefined ? [] : [['mode', mode] satisfies [string, string]]),
        ...(moves === undefined ? [] : [['moves', JSON.stringify(moves)] satisfies [string, string]]),
        ...fields,
      ],
    );
    const answer = await service().app.inject({
      method: 'PUT',
      url: `/api/v1/local-file-groups/${id}/files`,
      headers: { ...form.headers, ...headers, 'x-api-key': key ?? service().key },
      payload: form.body,
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
  }

  /** Makes the change and waits for its run; returns the answer and the run. */
  async function changeAndWait(id: string, files: Files, options: Change = {}) {
    const { status, body } = await change(id, files, options);
    assert.equal(status, 202, JSON.stringify(body));
    await waitForGroup(service(), id);
    const run = body.run_id === null ? null : (await service().get(`/runs/${body.run_id}`)).body;
    return { counts: counts(body), run };
  }

  const removal = (id: string, paths: string[], key = service().key) =>
    service().request({ method: 'DELETE', path: `/local-file-groups/${id}/files`, body: { paths }, key });

  /** Path -> source. */
  async function sources(id: string): Promise<Map<string, GroupSource>> {
    const { body } = await service().get(`/source-groups/${id}/sources?limit=100`);
    return new Map(body.sources.map((source: { path: string }) => [source.path, source]));
  }

  /** Returns the names of the files that contain the word. */
  async function found(word: string): Promise<string[]> {
    const { body } = await service().post('/search', { query: word, limit: 100 });
    const hits = body.results.filter((hit: { content: string }) => hit.content.includes(word));
    return hits.map((hit: { name: string }) => hit.name).sort();
  }

  const make = (files: Files): Promise<string> =>
    ingest(
      service(),
      Object.entries(files).map(([name, content]) => ({ name, content })),
    );

  return { change, changeAndWait, removal, sources, found, make };
}
