#!/usr/bin/env node
/** The executable. It imports nothing before the version check, because an older Node could not parse the other modules. */

const NODE_VERSION_MIN = [22, 18] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < NODE_VERSION_MIN[0] || (major === NODE_VERSION_MIN[0] && minor < NODE_VERSION_MIN[1])) {
  process.stderr.write(
    `pinakes needs Node.js ${NODE_VERSION_MIN.join('.')} or newer; this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  const { runCli } = await import('./run.ts');
  const { processIo } = await import('./shared/io.ts');
  const { correctTextDecoder } = await import('../files/detect/text-decoder.ts');
  globalThis.TextDecoder = correctTextDecoder(TextDecoder);
  process.exitCode = await runCli(process.argv.slice(2), processIo());
}
