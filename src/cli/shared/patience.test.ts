import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliError } from './io.ts';
import { NoAnswerError, withPatience } from './patience.ts';

/** Returns a `fetch` that gives these answers in order, and then the last one for ever. */
function answering(...answers: (number | Error)[]): { send: typeof fetch; count(): number } {
  let calls = 0;
  return {
    count: () => calls,
    send: async () => {
      const answer = answers[Math.min(calls, answers.length - 1)]!;
      calls += 1;
      if (answer instanceof Error) throw answer;
      return new Response('{}', { status: answer });
    },
  };
}

const away = new NoAnswerError('No service answers.');
const URL_OF_TEST = 'http://127.0.0.1:1/';

test('a GET request waits for a service that restarts, and says so once', async () => {
  const said: string[] = [];
  const service = answering(200, away, 503, away, 502, 200, away, 200);
  const send = withPatience(service.send, { onWait: (text) => said.push(text), waitMsMax: 60_000 });
  assert.equal((await send(URL_OF_TEST)).status, 200);
  assert.equal((await send(URL_OF_TEST)).status, 200);
  assert.deepEqual([service.count(), said.length], [6, 1]);
  assert.match(said[0]!, /Waiting up to 60 s/);
  assert.equal((await send(URL_OF_TEST)).status, 200);
  assert.deepEqual([service.count(), said.length], [8, 2]);
});

test('the wait ends, and the next requests do not wait again until the service has answered', async () => {
  const options = { onWait: () => undefined, waitMsMax: 600 };
  const refused = answering(200, away, away, away, away, 200, away, 200);
  const send = withPatience(refused.send, options);
  await send(URL_OF_TEST);
  await assert.rejects(send(URL_OF_TEST), away);
  assert.equal(refused.count(), 4);
  await assert.rejects(send(URL_OF_TEST), away);
  assert.equal(refused.count(), 5);
  await send(URL_OF_TEST);
  assert.equal((await send(URL_OF_TEST)).status, 200);
  const busy = answering(200, 503);
  const again = withPatience(busy.send, options);
  await again(URL_OF_TEST);
  assert.equal((await again(URL_OF_TEST)).status, 503);
});

test('only GET requests to a service that has answered before are repeated, and only when the service is away', async () => {
  const options = { onWait: () => undefined, waitMsMax: 60_000 };
  const never = answering(away, 200);
  await assert.rejects(withPatience(never.send, options)(URL_OF_TEST), away);
  const changing = answering(200, away);
  const send = withPatience(changing.send, options);
  await send(URL_OF_TEST);
  await assert.rejects(send(URL_OF_TEST, { method: 'POST' }), away);
  const broken = answering(200, new CliError('The file changed while it was being uploaded.'));
  const sendOther = withPatience(broken.send, options);
  await sendOther(URL_OF_TEST);
  await assert.rejects(sendOther(URL_OF_TEST), /file changed/);
  const failing = answering(200, 500);
  const third = withPatience(failing.send, options);
  await third(URL_OF_TEST);
  assert.equal((await third(URL_OF_TEST)).status, 500);
});
