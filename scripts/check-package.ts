/** Checks the published package: packs it, installs it into an empty folder, starts the installed service, and asks a question. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROJECT = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pinakes-package-'));
const run = (command: string, args: string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8' }).trim();

async function startInstalled(bin: string): Promise<{ url: string; stop(): Promise<number | null> }> {
  const child = spawn(process.execPath, [bin, 'serve'], {
    cwd: folder,
    env: { ...process.env, PINAKES_PORT: '0', PINAKES_DATA_DIR: join(folder, 'data'), PINAKES_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ready at (http:\S+)/.exec(line)?.[1];
    if (url !== undefined) {
      child.stdout.resume();
      return { url, stop };
    }
  }
  throw new Error(`The installed service ended with code ${await ended}.`);
}

try {
  const packed = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], PROJECT)) as {
    filename: string;
    size: number;
  }[];
  const { filename, size } = packed[0]!;
  console.log(`packed ${filename}: ${(size / 1000).toFixed(0)} kB`);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  run('npm', ['install', '--no-audit', '--no-fund', '--no-save', join(folder, filename)]);
  const bin = join(folder, 'node_modules', 'pinakes', 'dist', 'cli', 'pinakes.js');
  console.log(`installed: pinakes ${run(join(folder, 'node_modules', '.bin', 'pinakes'), ['--version'])}`);

  const service = await startInstalled(bin);
  const env = { ...process.env, PINAKES_URL: service.url, PINAKES_DATA_DIR: join(folder, 'data') };
  const pinakes = (...args: string[]) =>
    execFileSync(process.execPath, [bin, ...args], { cwd: folder, encoding: 'utf8', env });
  writeFileSync(join(folder, 'note.txt'), 'The lighthouse was lit for the first time in 1874.\n');
  pinakes('ingest', '--wait', 'note.txt');
  const page = await fetch(`${service.url}/console/`);
  const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
  const entry = script === undefined ? undefined : await fetch(service.url + script);
  if (page.status !== 200 || entry?.status !== 200)
    throw new Error('The installed service does not serve the console.');
  const answer = pinakes('ask', 'When was the lighthouse lit for the first time?');
  console.log(answer.trim());
  const stopCode = await service.stop();
  if (!/quoted from note\.txt/.test(answer)) throw new Error('The installed service did not cite the file.');
  if (stopCode !== 0) throw new Error(`The installed service stopped with code ${stopCode}.`);
  console.log(
    `package ${JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')).version}: works after its installation`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
