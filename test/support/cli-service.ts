/** A service with its own data directory, and the command line with the settings of this service. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalService, startLocalService } from '../../src/cli/operate/local-service.ts';
import { type CliResult, runPinakes, runPinakesHere } from './cli.ts';
import { copyTemplate } from './database.ts';

/** Returns the functions of a test file. `start` comes before all others, and `close` at the end. */
export function cliService(name: string) {
  const folder = mkdtempSync(join(tmpdir(), `pinakes-${name}-`));
  const dataDir = join(folder, 'data');
  let service: LocalService;
  const settings = (env: Record<string, string>) => ({ PINAKES_URL: service.url, PINAKES_DATA_DIR: dataDir, ...env });
  const pinakes = (args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> =>
    runPinakesHere(args, settings(env));
  return {
    folder,
    dataDir,
    url: (): string => service.url,

    async start(): Promise<void> {
      await copyTemplate(dataDir);
      // A second parser process would cost half a second.
      process.env['PINAKES_PARSER_PROCESSES'] = '1';
      service = await startLocalService(dataDir);
    },
    stop: (): Promise<void> => service.stop(),
    async startAgain(): Promise<void> {
      service = await startLocalService(dataDir);
    },
    async close(): Promise<void> {
      await service.stop();
      rmSync(folder, { recursive: true });
    },

    pinakes,
    /** Each command is run once as a process. */
    pinakesProcess: (args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> =>
      runPinakes(args, settings(env)),

    /** Runs a command and returns the JSON that it prints, which must be one line. */
    async json(args: readonly string[], env: Record<string, string> = {}) {
      const { stdout, stderr } = await pinakes([...args, '--json'], env);
      assert.match(stdout, /^[^\n]+\n$/, `${args.join(' ')}: ${stdout}${stderr}`);
      return JSON.parse(stdout);
    },

    /** Asserts that a command ends with `code` and one line of error, with nothing on standard output. */
    async refused(args: readonly string[], code: number, expected: RegExp): Promise<void> {
      const result = await pinakes(args);
      assert.deepEqual([result.code, result.stdout], [code, ''], `${args.join(' ')}: ${result.stderr}`);
      assert.match(result.stderr, /^pinakes: [^\n]+\n$/);
      assert.match(result.stderr, expected);
    },

    file(path: string, text: string): string {
      const place = join(folder, path);
      writeFileSync(place, text);
      return place;
    },
  };
}
