/** Writes openapi.json from the route table: run it after a route changed. A test compares the two. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describedRoutes } from '../src/app.ts';
import { openApiText } from '../src/http/openapi/openapi.ts';

const file = join(import.meta.dirname, '..', 'openapi.json');
writeFileSync(file, openApiText(describedRoutes()));
process.stdout.write(`${file}\n`);
