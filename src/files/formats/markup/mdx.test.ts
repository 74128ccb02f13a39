import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mdxToMarkdown } from './mdx.ts';

test('MDX keeps the text inside components and the words of their attributes, but not code', () => {
  const source = `---
title: Herons
---

import { Note } from '@birds/ui';
export const meta = {
  wide: true,
};

# Herons

import is a word, too.

<Note type={kind} className="mb-2" title="Mind the feet">
  They are **wet**. {/* always */}
</Note>

<Props
  content={[
    { name: 'depth', type: 'number', description: "How deep; it's 9 at most." },
    { name: 'quiet', isOptional: true, description: 'Says nothing > errors.' },
  ]}
/>

Call \`<Heron />\` so:

\`\`\`tsx
import { Heron } from 'birds';
<Heron depth={9} />
\`\`\`
`;
  assert.equal(
    mdxToMarkdown(source).replace(/\n{2,}/g, '\n'),
    `---
title: Herons
---
# Herons
import is a word, too.
Mind the feet
  They are **wet**. \n- depth: number: How deep; it's 9 at most.
- quiet: Says nothing > errors.
Call \`<Heron />\` so:
\`\`\`tsx
import { Heron } from 'birds';
<Heron depth={9} />
\`\`\`
`,
  );
});

test('MDX with components that never end is converted in linear time', () => {
  for (const piece of ['<A ', '<A b={', '<A b="', '{/*', '`', '```\n', 'import a from "b"\n', '<A b={["a']) {
    assert.ok(mdxToMarkdown(piece.repeat(50_000)).length <= piece.length * 50_000 + 10, piece);
  }
});
