/** Chooses which text of a chunk is embedded. Pure. */
import { createHash } from 'node:crypto';
import { withoutLinks } from '../../text/link-line.ts';

interface EmbeddedPart {
  content: string;
  context: string | null;
  headingPath: readonly string[];
}

/** Characters before a heading, such as `## `, that still let the heading count as the opening of the chunk. */
const HEADING_SLACK_UNITS = 16;

/**
 * Returns the headings above the chunk, its repeated header and its content. Addresses of links are dropped: they say little to
 * an embedding model.
 */
export function embeddingText({ content, headingPath, ...part }: EmbeddedPart): string {
  const context = withoutLinks(part.context);
  const outside = headingPath.filter((name) => !content.slice(0, name.length + HEADING_SLACK_UNITS).includes(name));
  return [...(outside.length > 0 ? [outside.join(' > ')] : []), ...(context === null ? [] : [context]), content].join(
    '\n',
  );
}

/** Returns the hash under which the vector of a text is stored. Equal texts have equal vectors. */
export function textHash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
