/** Pooling and prefixes from model cards, for models whose files do not contain them. */

/** How the vectors of tokens become one vector. */
export type Pooling = 'mean' | 'cls' | 'max' | 'last';

export interface Family {
  name: RegExp;
  pooling: Pooling;
  /** Prefixes of queries and of passages. */
  query: string;
  passage: string;
}

const BGE_EN = 'Represent this sentence for searching relevant passages: ';
const BGE_ZH = '为这个句子生成表示以用于检索相关文章：';

/** The first matching family counts. */
const FAMILIES: readonly Family[] = [
  { name: /e5-(?:small|base|large)(?!.*instruct)/, pooling: 'mean', query: 'query: ', passage: 'passage: ' },
  { name: /nomic-embed-text/, pooling: 'mean', query: 'search_query: ', passage: 'search_document: ' },
  { name: /modernbert-embed/, pooling: 'mean', query: 'search_query: ', passage: 'search_document: ' },
  { name: /snowflake-arctic-embed-.*v2/, pooling: 'cls', query: 'query: ', passage: '' },
  {
    name: /bge-(?:small|base|large)-en|mxbai-embed|snowflake-arctic-embed-/,
    pooling: 'cls',
    query: BGE_EN,
    passage: '',
  },
  { name: /bge-(?:small|base|large)-zh/, pooling: 'cls', query: BGE_ZH, passage: '' },
  { name: /bge-(?:small|base|large|m3)/, pooling: 'cls', query: '', passage: '' },
  {
    name: /embeddinggemma/,
    pooling: 'mean',
    query: 'task: search result | query: ',
    passage: 'title: none | text: ',
  },
  { name: /gte-(?:.*-v1\.5|multilingual|modernbert)/, pooling: 'cls', query: '', passage: '' },
  { name: /granite-embedding/, pooling: 'cls', query: '', passage: '' },
  { name: /multi-qa-.*-dot|msmarco-.*-(?:tas-b|dot)/, pooling: 'cls', query: '', passage: '' },
  // Older GTE, Jina of version 2, MiniLM and MPNet, potion and other static models: by mean, without prefixes.
  {
    name: /gte-(?:small|base|large)|jina-embeddings-v2|minilm|mpnet|potion|m2v/,
    pooling: 'mean',
    query: '',
    passage: '',
  },
];

/** Returns the family of a model by its name, in upper or lower case. */
export function familyOf(name: string): Family | undefined {
  return FAMILIES.find((family) => family.name.test(name.toLowerCase()));
}
