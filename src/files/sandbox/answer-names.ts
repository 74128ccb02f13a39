/** Finds names in a text on behalf of a child process, which has no network of its own. */
import { ServiceError } from '../../errors.ts';
import type { NameAnalyzer } from '../../redaction/presidio.ts';
import type { IngestRules } from '../../redaction/redactors.ts';
import type { NamesCall, ToolAnswer } from '../tools.ts';

/** Returns the names in a text as JSON, or a failure. Never rejects. */
export async function answerNames(
  analyzer: NameAnalyzer | null,
  rules: IngestRules | undefined,
  { text, entities }: NamesCall,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  try {
    if (!analyzer || !rules) return failed('None is configured.');
    const spans = await analyzer.find(rules.tenantId, text, entities, signal);
    return { ok: true, bytes: new TextEncoder().encode(JSON.stringify(spans)) };
  } catch (error) {
    return failed(error instanceof ServiceError ? error.message : 'An internal error occurred.');
  }
}

/** Returns a failure that is retried, because the file itself is not at fault. */
function failed(why: string): ToolAnswer {
  return {
    ok: false,
    failure: {
      stage: 'parse',
      title: 'The search for names failed',
      message: `A rule of the redaction policy needs the analyzer of names. ${why}`,
      retryable: true,
    },
  };
}
