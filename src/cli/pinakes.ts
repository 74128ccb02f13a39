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
  // Node 22 warns at each start that its SQLite is experimental, which no user can change.
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const print of printers) print(warning);
  });
  const { runCli } = await import('./run.ts');
  const { processIo } = await import('./shared/io.ts');
  const { correctTextDecoder } = await import('../files/detect/text-decoder.ts');
  globalThis.TextDecoder = correctTextDecoder(TextDecoder);
  process.exitCode = await runCli(process.argv.slice(2), processIo());
}
