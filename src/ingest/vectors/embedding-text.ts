/** What of a chunk is embedded. Pure. */
import { createHash } from 'node:crypto';
import { withoutLinks } from '../../text/link-line.ts';

export interface EmbeddedPart {
  content: string;
  context: string | null;
  headingPath: readonly string[];
}

/** A heading that opens the chunk is in its content already. */
const HEADING_SLACK_UNITS = 16;

/** The headings above the chunk, its repeated header, its content; addresses of links say little to an embedding model. */
export function embeddingText({ content, headingPath, ...part }: EmbeddedPart): string {
  const context = withoutLinks(part.context);
  const outside = headingPath.filter((name) => !content.slice(0, name.length + HEADING_SLACK_UNITS).includes(name));
  return [...(outside.length > 0 ? [outside.join(' > ')] : []), ...(context === null ? [] : [context]), content].join(
    '\n',
  );
}

/** Equal texts have equal vectors. */
export function textHash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
