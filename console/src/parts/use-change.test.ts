import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { useMutation } from './use-change.ts';

interface Upload {
  id: string;
  file: File;
}
type Uploads = ReturnType<typeof useMutation<void, Upload>>;

function Screen({ send, show }: { send(upload: Upload): void; show(uploads: Uploads): void }) {
  show(useMutation({ mutationFn: async (upload: Upload) => send(upload) }));
  return null;
}

test('an equal request is not sent while it is in flight, and another file of the same name is another request', async () => {
  const sent: File[] = [];
  let uploads: Uploads | undefined;
  const screen = createElement(Screen, { send: ({ file }) => sent.push(file), show: (shown) => (uploads = shown) });
  renderToString(createElement(QueryClientProvider, { client: new QueryClient() }, screen));
  const [first, second] = [new File(['first'], 'a.md'), new File(['second'], 'a.md')];
  const settled = () => new Promise((done) => setImmediate(done));
  for (const file of [first, first, second, second]) uploads!.mutate({ id: '1', file });
  await settled();
  uploads!.mutate({ id: '1', file: second });
  await settled();
  assert.deepEqual(
    sent.map((file) => [first, second].indexOf(file)),
    [0, 1, 1],
  );
  // @ts-expect-error: callbacks would not be called.
  void (() => uploads!.mutate({ id: '1', file: first }, {}));
});
