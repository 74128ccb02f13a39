/** Sandboxes for tests. */
import { KINDS, type Kind } from '../../../src/files/sandbox/namespaces.ts';
import { openSandbox, type Sandbox, type SandboxSettings } from '../../../src/files/sandbox/sandbox.ts';

/** Opens a sandbox of this system: of one kind, or of the best kind that works. Without any, programs run without a sandbox. */
export function sandboxOf(name?: Kind['name'], settings: Partial<SandboxSettings> = {}): Sandbox {
  const kinds = KINDS.filter((kind) => name === undefined || kind.name === name);
  return openSandbox({ mode: 'auto', searchPath: process.env['PATH'] ?? '', hidden: [], ...settings }, kinds);
}
