/**
 * Builds the console into dist/console, with a brotli and a gzip form of each text. Does nothing if its sources did not change since the
 * last build. `--force` builds in any case.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const PROJECT = join(import.meta.dirname, '..');
const BUILT = join(PROJECT, 'dist', 'console');
const STAMP = join(BUILT, '.hash');
const SOURCES = ['console/{src,public}/**/*', 'console/*.{html,json,ts}', 'src/client/*.ts', 'package-lock.json'];
/** Smaller files gain nothing. */
const COMPRESSED_BYTES_MIN = 512;

/** Returns a hash of everything that the build reads. */
function sourceHash(): string {
  const hash = createHash('sha256');
  const paths = globSync(SOURCES, { cwd: PROJECT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.toSorted()) hash.update(path.slice(PROJECT.length)).update('\0').update(readFileSync(path));
  return hash.digest('hex');
}

function compress(path: string): void {
  const bytes = readFileSync(path);
  if (bytes.length < COMPRESSED_BYTES_MIN) return;
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  );
}

const hash = sourceHash();
const fresh = existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash;
if (!fresh || process.argv.includes('--force')) {
  process.stderr.write('Building the console …\n');
  const { build } = await import('vite');
  await build({ root: join(PROJECT, 'console'), logLevel: 'warn' });
  for (const name of globSync('**/*.{html,js,css,svg}', { cwd: BUILT })) compress(join(BUILT, name));
  writeFileSync(STAMP, hash);
}
