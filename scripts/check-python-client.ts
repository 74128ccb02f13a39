/**
 * `npm run check:python-client`: generates a Python client from the service's OpenAPI description with openapi-python-client, and
 * uploads, waits and searches with it. Needs python3 with venv, and a package index for pip.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startLocalService } from '../src/cli/operate/local-service.ts';

const GENERATOR = 'openapi-python-client==0.29.1';
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'pinakes-python-'));

const UPLOAD = `
import sys, time
from io import BytesIO
from client import AuthenticatedClient
from client.api.local_file_groups import create_local_file_group, get_local_file_group
from client.api.search import search
from client.models import CreateLocalFileGroupBody, SearchBody
from client.types import File

api = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2], prefix="", auth_header_name="x-api-key")
names = ["heron.txt", "Möwe.md"]
texts = ["The heron nests in the old oak.", "# Gulls\\n\\nThe gull breeds on the pier."]
body = CreateLocalFileGroupBody(
    name="from Python",
    files=[File(payload=BytesIO(text.encode()), file_name=name) for name, text in zip(names, texts)],
    last_modified=[1760000000000, 1760000000000],
)
made = create_local_file_group.sync_detailed(client=api, body=body)
assert made.status_code == 201, made.content
group = made.parsed.source_group_id
for _ in range(600):
    status = get_local_file_group.sync(client=api, id=group).status
    if str(status) in ("success", "failure"):
        break
    time.sleep(0.1)
assert str(status) == "success", status
found = [hit.name for hit in search.sync(client=api, body=SearchBody(query="gull")).results]
assert found == ["Möwe.md"], found
print("uploaded", len(names), "files, found", found)
`;

try {
  const python = join(folder, 'venv', 'bin', 'python');
  await run('python3', ['-m', 'venv', join(folder, 'venv')]);
  await run(python, ['-m', 'pip', 'install', '--quiet', GENERATOR]);
  const service = await startLocalService(join(folder, 'data'));
  try {
    const description = join(folder, 'openapi.json');
    writeFileSync(description, await (await fetch(`${service.url}/openapi.json`)).text());
    const output = ['--output-path', join(folder, 'client'), '--meta', 'none'];
    const generated = await run(python, ['-m', 'openapi_python_client', 'generate', '--path', description, ...output]);
    console.log(`${generated.stdout}${generated.stderr}`.trim());
    writeFileSync(join(folder, 'upload.py'), UPLOAD);
    const { stdout } = await run(python, ['upload.py', service.url, service.apiKey], { cwd: folder });
    console.log(stdout.trim());
  } finally {
    await service.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
