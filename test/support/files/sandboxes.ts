/** Sandboxes for tests. */
import { KINDS } from '../../../src/files/sandbox/namespaces.ts';
import { openSandbox, type Sandbox, type SandboxSettings } from '../../../src/files/sandbox/sandbox.ts';

/**
 * Opens a sandbox of this system: of one kind, or of the best kind that works. Without any, programs run without a sandbox.
 * `PINAKES_TEST_SANDBOX=unshare` tests the other kind where bubblewrap is installed.
 */
export function sandboxOf(
  name = process.env['PINAKES_TEST_SANDBOX'],
  settings: Partial<SandboxSettings> = {},
): Sandbox {
  const kinds = KINDS.filter((kind) => name === undefined || kind.name === name);
  return openSandbox({ mode: 'auto', searchPath: process.env['PATH'] ?? '', hidden: [], ...settings }, kinds);
}
