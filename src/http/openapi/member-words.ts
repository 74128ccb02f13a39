/**
 * What members of the API mean that are called the same everywhere: the description takes these words where a schema has none of
 * its own. `Schema.member` comes before `member`.
 */
export const MEMBER_WORDS: Readonly<Record<string, string>> = {
  added: 'Files that are new.',
  allowed: 'Whether it is shown.',
  api_keys: 'API keys of this page.',
  chunks: 'Chunks of this page.',
  citations: 'What the answer rests on, in the order of its numbers; empty without `citation`.',
  conversations: 'Conversations of this page.',
  deleted: 'Files that are gone at the origin.',
  errors: 'Failed files of this page.',
  failed: 'Files that failed.',
  local_file_groups: 'Local file groups of this page.',
  metadata_columns: 'Declared metadata columns.',
  policies: 'Policies of this page.',
  principal_id: 'The end user.',
  runs: 'Runs of this page, oldest first.',
  scanned: 'Files that were looked at.',
  secret_id: 'Id of the secret.',
  secrets: 'Secrets of this page, without their values.',
  skipped: 'Files that were left out.',
  source_groups: 'Source groups of this page.',
  sources: 'Sources of this page.',
  subject: 'Name of an attribute of the principal.',
  subjects: 'Subjects of this page.',
  success: 'Whether the item succeeded.',
  success_count: 'How many items succeeded.',
  tag_source_groups: 'Links of this page.',
  unchanged: 'Files that did not change.',
  updated: 'Files that changed.',
  values: 'Values of this page.',
  active_message_id: 'The active message of the conversation.',
  after: 'Chunks after it.',
  before: 'Chunks before it.',
  chunk_count: 'Number of chunks.',
  chunk_index: 'Place of the chunk in its source, from 0.',
  chunk_metadata_keys: 'Columns of record files that become chunk metadata.',
  chunks_done: 'Chunks stored so far.',
  citation: 'Where the answer rests on this chunk, and whether that was verified.',
  choices: 'One choice.',
  content: 'The text.',
  conversation_id: 'Id of the conversation; null when nothing of a new one was stored.',
  user_message_id: 'Id of the stored question; null when the turn was not stored.',
  assistant_message_id: 'Id of the stored answer, the new active leaf; null when the turn was not stored.',
  description: 'What it is for, in words of its owner.',
  end_offset: 'After the last code point, in the extracted text of the source.',
  start_offset: 'First code point, in the extracted text of the source.',
  end: 'After the last code point.',
  start: 'First code point, from 0.',
  end_time: 'End of the latest run, Unix seconds; null before it.',
  start_time: 'Start of the latest run, Unix seconds; null before it.',
  error: 'What went wrong; null when nothing did.',
  'Error.error': 'The only member of every error answer.',
  expires_time: 'End of the key, Unix seconds; null = it does not expire.',
  file_type: 'Type of the file as detected, for example `pdf`; `unknown` when it is none that is known.',
  file_types: 'Only chunks of files of these types. At most 100.',
  files: '1 to 2,000 files, each a part with a file name.',
  files_done: 'Files that were processed, with those that failed.',
  files_total: 'Files of the run; while its origin is listed, those that were found so far.',
  filters: 'Conditions and groups of conditions, 1 to 64.',
  finish_reason: '`stop`, `length`, `content_filter`, `no_answer` or `error`.',
  has_more: 'Whether there is a next page.',
  heading_path: 'Headings above the chunk, outermost first.',
  id: 'Id: a UUID in lower case.',
  index: 'Place of the choice, from 0.',
  items: 'The items, in the order in which they are applied.',
  key: 'The key.',
  limit: 'How many records to return.',
  'Pagination.limit': 'The limit of the request, or its default.',
  max_chunks_per_source: 'At most so many chunks of one source; absent = any number.',
  message: 'What happened, for a person.',
  metadata: 'Metadata records.',
  name: 'Its name.',
  number: 'Number of the citation, from 1.',
  only_failed: 'Only the files that failed in the latest run.',
  operator: '`and` (all of the conditions hold) or `or` (any of them).',
  pages: 'Pages of the file on which the chunk stands; null for files without pages.',
  query: 'What to look for.',
  quote: 'The part of the chunk that supports the cited sentences.',
  records: 'The records, by key.',
  results: 'The results, in order.',
  retryable: 'Whether trying again may help.',
  role: '`system`, `user` or `assistant`.',
  'ConversationMessage.role': '`user` or `assistant`.',
  scopes: 'What the key may do.',
  scores: 'Scores of the stages of the search; null for those that did not run.',
  lexical: 'Score of the lexical search (BM25); null without one.',
  semantic: 'Score of the semantic search; null without one.',
  rerank: 'Score of the reranking model; null without one.',
  secret: 'The value. It is never returned.',
  source_group_id: 'Id of the source group.',
  source_group_ids: 'Only these source groups; null = not limited.',
  source_id: 'Id of the source.',
  source_type: 'Where the source comes from: `local_file`, `drive`, `page`, `repo` or `web`.',
  source_types: 'Only chunks of sources of these types. At most 100.',
  spans: 'Half-open ranges of code points of the answer that rest on this chunk.',
  stage: 'Stage of the processing.',
  statistics: 'How many files were scanned, added, updated and so on.',
  status: 'Where the work stands: see the list of values.',
  tag_id: 'Id of the tag.',
  target: 'What the condition is about.',
  tag_ids: 'Only source groups with one of these tags; null = not limited.',
  tags: 'Names of the tags of its source group.',
  text: 'The text.',
  text_length: 'Length of the extracted text in code points.',
  title: 'A few words.',
  total: 'Number of all that match.',
  type: 'Its kind: see the list of values.',
  'Warning.type': 'The kind of warning, for example `postfilter_underfilled`.',
  'MetadataRecord.type': '`string`; records of the origin may be `integer`, `float`, `date` or `datetime`.',
  upload_time: 'When the upload was accepted, Unix seconds.',
  url: 'Address at the origin; null for uploads.',
  val: 'The value.',
  value: 'The value.',
  verified: 'The cited passage states what the cited sentence states. Computed, never claimed by the model.',
  warnings: 'What did not stop the work but should be known.',
};

type Json = Record<string, unknown>;

/** Describes members and parameters that have no description. Returns those that have no words either. */
export function describeMembers(document: Json): string[] {
  const missing: string[] = [];
  const visit = (node: unknown, owner: string): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one, owner);
      return;
    }
    const { properties, ...rest } = node as Json;
    for (const [name, member] of Object.entries((properties ?? {}) as Record<string, Json>)) {
      describe(member, name, owner);
      visit(member, owner);
    }
    if (typeof rest['in'] === 'string' && typeof rest['name'] === 'string') describe(node as Json, rest['name'], owner);
    for (const [key, member] of Object.entries(rest)) if (key !== 'example') visit(member, owner);
  };
  const describe = (member: Json, name: string, owner: string): void => {
    if (member['description'] !== undefined || member['$ref'] !== undefined) return;
    const words = MEMBER_WORDS[`${owner}.${name}`] ?? MEMBER_WORDS[name];
    if (words === undefined) missing.push(owner === '' ? name : `${owner}.${name}`);
    else member['description'] = words;
  };
  const { schemas } = document['components'] as { schemas: Record<string, Json> };
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name);
  visit(document['paths'], '');
  return missing;
}
