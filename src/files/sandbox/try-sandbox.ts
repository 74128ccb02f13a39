/** Attacks the service from inside the sandbox, and reports what was reached. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../../util/folders.ts';
import type { Targets, Try } from './attack.ts';
import type { Sandbox } from './sandbox.ts';
import { engineView, parserView, toolView, type View } from './views.ts';

const TIME_MS = 60_000;
const OWN_PREFIX = 'pinakes-attack-';
const OWN_EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const SCRIPT = new URL(`./attack${OWN_EXTENSION}`, import.meta.url);

/** Who attacks: a parser, the table engine, tesseract or LibreOffice after each was taken over. */
export type Attacker = 'parser' | 'table engine' | 'tesseract' | 'LibreOffice';
export const ATTACKERS: readonly Attacker[] = ['parser', 'table engine', 'tesseract', 'LibreOffice'];

/**
 * Runs the attack with the view of an attacker. Without a sandbox, it runs with the rights of this process, but without its
 * environment.
 *
 * @throws FileError if a sandbox is required and there is none.
 */
export async function attackFrom(attacker: Attacker, sandbox: Sandbox, targets: Targets): Promise<Try[]> {
  const own = makeOwnFolder(attacker, targets);
  try {
    const prefix = await sandbox.prefix(viewOf(attacker, own));
    const [command = '', ...args] = [...prefix, process.execPath, '--no-warnings', fileURLToPath(SCRIPT)];
    return JSON.parse(await outputOf(command, [...args, JSON.stringify({ ...targets, own })])) as Try[];
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
}

/** Says, for an operator, what code in parsers and tools reaches. It is ok if nothing is reached, or if nothing else was required. */
export async function examineSandbox(sandbox: Sandbox, targets: Targets): Promise<{ ok: boolean; detail: string }> {
  const { kind, mode, reason } = await sandbox.facts();
  if (kind === null) {
    if (mode === 'required') return { ok: false, detail: `required, but there is none: ${reason}` };
    return {
      ok: true,
      detail: `none: ${reason}. From a parser, ${outcomeOf(await attackFrom('parser', sandbox, targets))}`,
    };
  }
  let ok = true;
  const details: string[] = [];
  for (const attacker of ATTACKERS) {
    const facts = await sandbox.facts({ system: needsSystem(attacker) });
    if (facts.kind === null) {
      details.push(`${attacker}: no sandbox, ${facts.reason}`);
      continue;
    }
    const tries = await attackFrom(attacker, sandbox, targets);
    ok &&= tries.every(({ reached }) => reached === null);
    details.push(`${attacker}: ${outcomeOf(tries)}`);
  }
  return { ok, detail: `${kind}. ${details.join('; ')}` };
}

function outcomeOf(tries: readonly Try[]): string {
  const reached = tries.filter((one) => one.reached !== null).map(({ name }) => name);
  const names = reached.length === 0 ? '' : ` (${reached.join(', ')})`;
  return `${reached.length} of ${tries.length} attacks reached something${names}`;
}

function needsSystem(attacker: Attacker): boolean {
  return attacker === 'LibreOffice';
}

/** Makes the folder of a program that has one. That of the table engine is beside the blobs. */
function makeOwnFolder(attacker: Attacker, { blobs }: Targets): string | undefined {
  if (needsSystem(attacker)) return mkdtempSync(join(tmpdir(), OWN_PREFIX));
  if (attacker !== 'table engine') return undefined;
  const parent = join(blobs, '.tables');
  makeFolder(parent);
  return mkdtempSync(join(parent, OWN_PREFIX));
}

/** Returns the view of an attacker. The attacking program is added to it, because none is installed. */
function viewOf(attacker: Attacker, own: string | undefined): View {
  if (attacker === 'parser') return parserView(SCRIPT);
  if (attacker === 'table engine') return engineView(SCRIPT, own!);
  const tool = toolView(process.execPath, own);
  const missing = [fileURLToPath(SCRIPT)].filter((path) => !tool.read.some((folder) => path.startsWith(`${folder}/`)));
  return { ...tool, read: [...tool.read, ...missing] };
}

function outputOf(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { env: {}, timeout: TIME_MS }, (error, stdout, stderr) => {
      // The message of the error begins with the whole command.
      if (error) reject(new Error(stderr.trim().split('\n')[0] || error.message, { cause: error }));
      else resolve(stdout);
    });
  });
}
