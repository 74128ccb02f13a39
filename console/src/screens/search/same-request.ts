/** The search as a command, as JSON and as TypeScript: what the reader sees can be done without the console. */
import type { SearchBody } from '../../data/search.ts';

export const FORMS = ['curl', 'JSON', 'TypeScript'] as const;
export type Form = (typeof FORMS)[number];

export function sameRequest(form: Form, body: SearchBody, origin: string): string {
  const json = JSON.stringify(body, null, 2);
  if (form === 'JSON') return json;
  if (form === 'TypeScript')
    return [
      `import { openPinakes } from 'pinakes/client';`,
      '',
      `const pinakes = openPinakes({ url: '${origin}', apiKey });`,
      `const { results } = await pinakes.search({\n  body: ${json.replaceAll('\n', '\n  ')},\n});`,
    ].join('\n');
  // In a shell, a quote ends the text: it is closed, escaped and opened again.
  return [
    `curl -s ${origin}/api/v1/search \\`,
    `  -H "x-api-key: $PINAKES_API_KEY" \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${json.replaceAll("'", "'\\''")}'`,
  ].join('\n');
}
