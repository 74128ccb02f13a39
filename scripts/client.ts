/** Writes src/client/api.ts from openapi.json. Run it after openapi.json changed; a test compares the two files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientText } from './client-text.ts';

const PROJECT = join(import.meta.dirname, '..');
const file = join(PROJECT, 'src', 'client', 'api.ts');
writeFileSync(file, clientText(JSON.parse(readFileSync(join(PROJECT, 'openapi.json'), 'utf8'))));
process.stdout.write(`${file}\n`);
