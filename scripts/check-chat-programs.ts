/**
 * `npm run check:chat-programs`: asks `/v1` with the official `openai` package of Python and with the chat program `llm`, both as they are.
 * Needs python3 with venv, and a package index for pip.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startLocalService } from '../src/cli/operate/local-service.ts';

const PACKAGES = ['openai==3.54.0', 'llm==0.36'];
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'pinakes-chat-'));

const OFFICIAL = `
import asyncio, sys
import openai
from openai import AsyncOpenAI, OpenAI

base, key = sys.argv[1] + "/v1", sys.argv[2]
asked = [{"role": "user", "content": "Where does the heron nest?"}]
client = OpenAI(base_url=base, api_key=key, max_retries=0)
assert [model.id for model in client.models.list()] == ["pinakes", "birds"], list(client.models.list())
assert client.models.retrieve("birds").id == "birds"

answer = client.chat.completions.create(model="pinakes", messages=asked)
text = answer.choices[0].message.content
assert "old oak" in text and answer.choices[0].finish_reason == "stop", answer
assert answer.choices[0].citations[0]["name"] == "heron.txt", answer

streamed, reason, usage = "", None, None
for chunk in client.chat.completions.create(model="birds", messages=asked, stream=True, stream_options={"include_usage": True}):
    for choice in chunk.choices:
        streamed += choice.delta.content or ""
        reason = choice.finish_reason or reason
    usage = chunk.usage or usage
assert (streamed, reason) == (text, "stop"), (streamed, reason)
assert usage.total_tokens == 0, usage

with client.chat.completions.stream(model="pinakes", messages=asked) as stream:
    for event in stream:
        pass
    assert stream.get_final_completion().choices[0].message.content == text

async def concurrently():
    async with AsyncOpenAI(base_url=base, api_key=key) as one:
        return await asyncio.gather(*[one.chat.completions.create(model="pinakes", messages=asked) for _ in range(4)])
assert all(one.choices[0].message.content == text for one in asyncio.run(concurrently()))

def fails(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError("no " + kind.__name__)
wrong = OpenAI(base_url=base, api_key="pk_wrong", max_retries=0)
assert fails(openai.AuthenticationError, lambda: wrong.models.list()).code == "invalid_api_key"
missing = fails(openai.NotFoundError, lambda: client.chat.completions.create(model="gpt-4o", messages=asked))
assert missing.code == "model_not_found", missing
fails(openai.BadRequestError, lambda: client.chat.completions.create(model="pinakes", messages=asked, n=2))
print("openai", openai.__version__, "list, complete, stream, async, errors")
`;

const MODELS = (url: string) => `
- model_id: pinakes
  model_name: pinakes
  api_base: "${url}/v1"
  api_key_name: pinakes
`;

try {
  const python = join(folder, 'venv', 'bin', 'python');
  await run('python3', ['-m', 'venv', join(folder, 'venv')]);
  await run(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES]);
  process.env['PINAKES_PRESETS'] = '{"birds": {"limit": 3}}';
  const service = await startLocalService(join(folder, 'data'));
  try {
    const headers = { 'x-api-key': service.apiKey };
    const form = new FormData();
    form.set('files', new Blob(['The heron nests in the old oak. The gull breeds on the pier.']), 'heron.txt');
    const made = await fetch(`${service.url}/api/v1/local-file-groups`, { method: 'POST', headers, body: form });
    const { source_group_id: group } = (await made.json()) as { source_group_id: string };
    for (let status = ''; status !== 'success'; await sleep(100))
      ({ status } = (await (await fetch(`${service.url}/api/v1/local-file-groups/${group}`, { headers })).json()) as {
        status: string;
      });
    writeFileSync(join(folder, 'official.py'), OFFICIAL);
    console.log((await run(python, ['official.py', service.url, service.apiKey], { cwd: folder })).stdout.trim());

    // The program keeps its settings, keys and conversations in one folder.
    const user = join(folder, 'llm');
    mkdirSync(user);
    writeFileSync(join(user, 'extra-openai-models.yaml'), MODELS(service.url));
    writeFileSync(join(user, 'keys.json'), JSON.stringify({ pinakes: service.apiKey }));
    const env = { ...process.env, LLM_USER_PATH: user };
    const llm = async (...args: string[]) => {
      const running = run(join(folder, 'venv', 'bin', 'llm'), args, { env });
      // The program adds what it reads from standard input to the question.
      running.child.stdin?.end();
      return (await running).stdout;
    };
    assert.match(await llm('models'), /pinakes/);
    const streamed = await llm('-m', 'pinakes', 'Where does the heron nest?');
    assert.match(streamed, /old oak/);
    assert.equal(await llm('-m', 'pinakes', '--no-stream', 'Where does the heron nest?'), streamed);
    assert.match(await llm('-c', 'And where does the gull breed?'), /pier/);
    writeFileSync(join(user, 'keys.json'), JSON.stringify({ pinakes: 'pk_wrong' }));
    const refused = await llm('-m', 'pinakes', 'Where?').then(
      () => '',
      (error: { stderr: string }) => error.stderr,
    );
    assert.match(refused, /A valid API key is needed/);
    console.log(`${(await llm('--version')).trim()}: list, stream, without stream, next turn, error`);
  } finally {
    await service.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
