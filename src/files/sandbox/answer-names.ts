/** Names in the text of a file, for the process that reads it: that has no network of its own. */
import { ServiceError } from '../../errors.ts';
import type { NameAnalyzer } from '../../redaction/presidio.ts';
import type { IngestRules } from '../../redaction/redactors.ts';
import type { NamesCall, ToolAnswer } from '../tools.ts';

/** Never rejects. */
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

/** The file itself is not at fault. */
function failed(why: string): ToolAnswer {
  return {
    ok: false,
    failure: {
      stage: 'parse',
      title: 'Names could not be looked for',
      message: `A rule of the redaction policy needs the analyzer of names. ${why}`,
      retryable: true,
    },
  };
}
