/** Plans a search: turns a request into what the engine is asked and how its candidates are ranked. Pure. */
import type { Access } from '../access/access.ts';
import { otherForms } from '../files/other-forms.ts';
import { searchTerms, UNDETERMINED } from '../text/analyzer.ts';
import { withoutQuestionWords } from '../text/question-words.ts';
import type { QueryVector, Scope } from './engine.ts';
import { phraseTest } from './query/phrases.ts';
import { FUSED_DEPTH, type FusionSettings } from './ranking/fuse.ts';
import { PROXIMITY_MAX } from './ranking/proximity.ts';
import { RERANKED_MAX } from './ranking/rerank.ts';
import type { RetrieveRequest, SearchMode } from './types.ts';

/** Number of candidates that the engine is asked for next, if copies, equal scores or tests leave too few. */
const DEPTHS = [100, 1_000, 4_000, 20_000];
/** Number of extra candidates of the first look, so that a few copies do not cost a second one. */
const SPARE_CANDIDATES = 10;
/** Number of the best results among which those with a quoted phrase come first. */
const QUOTED_DEPTH = 100;
/** Number of the best chunks of each half that `use_postfilter` filters, or `offset + limit` if that is more. */
export const POSTFILTER_DEPTH = 200;
/** Number of the best results of which those that a rule blocks are left out before pages are counted. Later pages are shorter instead. */
export const UNBLOCKED_DEPTH = 300;

/** What is known about a request before the search. */
export interface Facts {
  access: Access;
  /** The names of source groups in the query. */
  groupNames: readonly string[];
  languages: readonly string[];
  vector: QueryVector | undefined;
  fusion: FusionSettings;
  hasRerankModel: boolean;
  /** True if a redaction policy may hide text. */
  redacts: boolean;
  /** True if a redaction policy may block whole chunks. */
  blocks: boolean;
}

export interface Plan {
  request: RetrieveRequest;
  languages: readonly string[];
  /** The halves that rank: `hybrid` only if the query has a vector. */
  mode: SearchMode;
  terms: readonly string[];
  vector: QueryVector | undefined;
  /** With `use_postfilter`, what candidates are tested for after they are ranked. */
  filteredAfter: Scope | undefined;
  /** Numbers of candidates to ask for, one after the other, until enough are left. */
  depths: readonly number[];
  /** Number of results that the ranking needs. */
  count: number;
  fusion: FusionSettings;
  /** True if a rule may block whole chunks. */
  blocks: boolean;
  /** True if a rerank model orders the results. */
  reranks: boolean;
  /** Number of the best results whose order may change because of where they have the words of the query. */
  reordered: number;
  /** Tells texts that have the phrases that the query has in quotes; undefined if it has none. */
  hasPhrase: ((text: string) => boolean) | undefined;
}

/** Returns the chunks that match the request. */
export function scopeOf({ tenantId, partitionNo, filters }: RetrieveRequest, access: Access): Scope {
  return { ...access, tenantId, partitionNo, filters };
}

/** Returns the chunks that the engine searches: with `use_postfilter`, the filters are applied afterwards. */
export function searchedScope(request: RetrieveRequest, access: Access): Scope {
  return { ...scopeOf(request, access), ...(request.usePostfilter && { filters: {} }) };
}

export function planSearch(request: RetrieveRequest, facts: Facts): Plan {
  const { languages, groupNames, vector, fusion } = facts;
  const { query, offset, usePostfilter } = request;
  const wanted = offset + request.limit;
  const mode = request.mode === 'semantic' ? 'semantic' : vector ? 'hybrid' : 'lexical';
  const reranks = facts.hasRerankModel && request.rerank !== false && offset < RERANKED_MAX;
  // Text that a redaction rule hides must not influence the order.
  const mayReorder = request.proximity === true && mode !== 'semantic' && !reranks && !facts.redacts;
  const asked = withoutQuestionWords(query);
  const isTold = asked.language !== undefined && languages.includes(asked.language);
  const searched = isTold ? [asked.language!, UNDETERMINED] : languages;
  const hasPhrase = mayReorder ? phraseTest(query) : undefined;
  const depth = hasPhrase ? QUOTED_DEPTH : PROXIMITY_MAX;
  const reordered = mayReorder && offset < depth ? depth : 0;
  const count = Math.max(wanted, reranks ? RERANKED_MAX : reordered) + (facts.blocks ? UNBLOCKED_DEPTH : 0);
  const first = { lexical: count + SPARE_CANDIDATES, semantic: DEPTHS[0]!, hybrid: FUSED_DEPTH }[mode];
  return {
    ...{ request, languages, mode, vector, count, fusion, reranks, reordered, blocks: facts.blocks },
    hasPhrase: reordered > 0 ? hasPhrase : undefined,
    terms: mode === 'semantic' ? [] : searchTerms(asked.topic, searched, groupNames, otherForms(query, languages)),
    filteredAfter: usePostfilter ? scopeOf(request, facts.access) : undefined,
    depths: usePostfilter ? [Math.max(POSTFILTER_DEPTH, wanted)] : [first, ...DEPTHS.filter((depth) => depth > first)],
  };
}
