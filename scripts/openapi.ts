/** Writes openapi.json from the routes. Run it after a route changed; a test compares the file with the routes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allDescribedRoutes } from '../src/app.ts';
import { openApiText } from '../src/http/openapi/openapi.ts';

const file = join(import.meta.dirname, '..', 'openapi.json');
writeFileSync(file, openApiText(allDescribedRoutes()));
process.stdout.write(`${file}\n`);
