/**
 * Writes a tiny embedding model in ONNX form, as a directory like those of sentence-transformers. A table of the test
 * has the vector of each word. This module writes the bytes of the ONNX file itself.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface TinyModel {
  /** Word -> vector. All vectors have the same dimension. An unknown word has a vector of zeros. */
  words: Readonly<Record<string, readonly number[]>>;
  /** Path -> content of more files, which are written as JSON. */
  files?: Readonly<Record<string, unknown>>;
  /** The graph has the output `sentence_embedding`, the mean of the tokens, as models have that pool by themselves. */
  poolsItself?: boolean;
  /** A static model: it returns the mean of one row of tokens and has the input `offsets`. */
  isStatic?: boolean;
  /** The name of one more input of the graph. */
  input?: string;
  /** The labels of a model that judges pairs. Its numbers are the mean of the vectors of all tokens. */
  labels?: readonly string[];
}

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];

/**
 * Writes the model into `directory`. `[CLS]` has the first unit vector and `[SEP]` has a zero vector, so pooling by
 * mean and pooling by the first token differ. The graph takes one text at a time. A token that the attention mask leaves out counts as
 * `[PAD]`, which has a long vector.
 */
export function writeTinyModel(
  directory: string,
  { words, files = {}, poolsItself, isStatic, input, labels }: TinyModel,
): void {
  const vocabulary = [...SPECIAL, ...Object.keys(words)];
  const dimension = Object.values(words)[0]!.length;
  const zeros = new Array<number>(dimension).fill(0);
  const special: Record<string, readonly number[]> = { '[CLS]': zeros.with(0, 1), '[PAD]': zeros.with(-1, 9) };
  const table = vocabulary.map((token) => words[token] ?? special[token] ?? zeros);
  const all: Record<string, unknown> = {
    'tokenizer.json': tokenizer(vocabulary),
    'tokenizer_config.json': { model_max_length: 512, pad_token: '[PAD]' },
    'config.json': { model_type: 'bert', pad_token_id: 0, max_position_embeddings: 512, ...id2label(labels) },
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    write(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  write(
    join(directory, 'onnx/model.onnx'),
    isStatic ? staticModel(table) : labels ? pairModel(table) : onnxModel(table, poolsItself === true, input),
  );
}

function id2label(labels: readonly string[] | undefined): object {
  return labels === undefined ? {} : { id2label: Object.fromEntries(labels.map((label, i) => [String(i), label])) };
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function tokenizer(vocabulary: readonly string[]): unknown {
  const idOf = (token: string): number => vocabulary.indexOf(token);
  const special = (token: string) => ({ SpecialToken: { id: token, type_id: 0 } });
  const known = (token: string) => ({ id: token, ids: [idOf(token)], tokens: [token] });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content) => ({
      ...{ id: idOf(content), content, special: true },
      ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
    })),
    normalizer: {
      type: 'BertNormalizer',
      ...{ clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
      pair: [
        ...[special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
        ...[{ Sequence: { id: 'B', type_id: 1 } }, { SpecialToken: { id: '[SEP]', type_id: 1 } }],
      ],
      special_tokens: { '[CLS]': known('[CLS]'), '[SEP]': known('[SEP]') },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
    },
  };
}

/** Protocol buffer wire types. */
const VARINT = 0;
const BYTES = 2;
const FLOAT = 1;
const INT64 = 7;

function onnxModel(table: readonly (readonly number[])[], poolsItself: boolean, input: string | undefined): Uint8Array {
  const inputs = ['input_ids', 'attention_mask', ...(input === undefined ? [] : [input])];
  const columns = table[0]!.length;
  const mean = node('ReduceMean', ['last_hidden_state'], 'sentence_embedding', [
    message(5, [text(1, 'axes'), number(8, 1), number(20, 7)]),
    message(5, [text(1, 'keepdims'), number(3, 0), number(20, 2)]),
  ]);
  const graph = [
    ...maskedWords('last_hidden_state'),
    ...(poolsItself ? [message(1, mean)] : []),
    text(2, 'tiny'),
    weightsOf(table),
    ...inputs.map((name) => message(11, value(name, INT64, [1, 'tokens']))),
    message(12, value('last_hidden_state', FLOAT, ['texts', 'tokens', columns])),
    ...(poolsItself ? [message(12, value('sentence_embedding', FLOAT, ['texts', columns]))] : []),
  ];
  return modelOf(graph);
}

function pairModel(table: readonly (readonly number[])[]): Uint8Array {
  const mean = node('ReduceMean', ['tokens'], 'logits', [
    message(5, [text(1, 'axes'), number(8, 1), number(20, 7)]),
    message(5, [text(1, 'keepdims'), number(3, 0), number(20, 2)]),
  ]);
  return modelOf([
    ...maskedWords('tokens'),
    message(1, mean),
    text(2, 'tiny'),
    weightsOf(table),
    ...['input_ids', 'attention_mask'].map((name) => message(11, value(name, INT64, ['texts', 'tokens']))),
    message(12, value('logits', FLOAT, ['texts', table[0]!.length])),
  ]);
}

function staticModel(table: readonly (readonly number[])[]): Uint8Array {
  const mean = node('ReduceMean', ['tokens'], 'embeddings', [
    message(5, [text(1, 'axes'), number(8, 0), number(20, 7)]),
    message(5, [text(1, 'keepdims'), number(3, 1), number(20, 2)]),
  ]);
  return modelOf([
    message(1, node('Gather', ['words', 'input_ids'], 'tokens')),
    message(1, mean),
    text(2, 'tiny'),
    weightsOf(table),
    message(11, value('input_ids', INT64, ['tokens'])),
    message(11, value('offsets', INT64, ['texts'])),
    message(12, value('embeddings', FLOAT, [1, table[0]!.length])),
  ]);
}

/** The vectors of tokens. The product with the mask is 0, the token `[PAD]`, where the mask is 0. */
function maskedWords(to: string): Uint8Array[] {
  const ids = node('Mul', ['input_ids', 'attention_mask'], 'ids');
  return [message(1, ids), message(1, node('Gather', ['words', 'ids'], to))];
}

function weightsOf(table: readonly (readonly number[])[]): Uint8Array {
  const weights = new Uint8Array(Float32Array.from(table.flat()).buffer);
  const shape = [number(1, table.length), number(1, table[0]!.length)];
  return message(5, [...shape, number(2, FLOAT), text(8, 'words'), field(9, weights)]);
}

/** Format 8 with operator set 13: every runtime since 2020 reads it. */
function modelOf(graph: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([number(1, 8), message(7, graph), message(8, [text(1, ''), number(2, 13)])]);
}

function node(type: string, from: readonly string[], to: string, attributes: readonly Uint8Array[] = []): Uint8Array[] {
  return [...from.map((name) => text(1, name)), text(2, to), text(3, to), text(4, type), ...attributes];
}

function value(name: string, type: number, shape: readonly (string | number)[]): Uint8Array[] {
  const axes = shape.map((size) => message(1, [typeof size === 'number' ? number(1, size) : text(2, size)]));
  return [text(1, name), message(2, [message(1, [number(1, type), message(2, axes)])])];
}

function message(id: number, fields: readonly Uint8Array[]): Uint8Array {
  return field(id, Buffer.concat(fields));
}

function text(id: number, content: string): Uint8Array {
  return field(id, Buffer.from(content));
}

function field(id: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([varint(id * 8 + BYTES), varint(content.length), content]);
}

function number(id: number, content: number): Uint8Array {
  return Buffer.concat([varint(id * 8 + VARINT), varint(content)]);
}

function varint(content: number): Uint8Array {
  const bytes: number[] = [];
  let rest = content;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}
