/**
 * Runs one embedding model in this thread with a tokenizer and ONNX Runtime. The native runtime is used when it is installed, otherwise
 * WebAssembly. The packages are optional, and only this module loads them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tokenizer } from '@huggingface/tokenizers';
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import { EMBEDDING_DIMENSIONS_MAX } from '../../config.ts';
import type { EmbeddingUse } from '../models.ts';
import { type LocalModel, NATIVE_RUNTIME, TEXT_TOKENS_MAX } from './model.ts';
import { pool, unit } from './pooling.ts';

/** Maximum characters per token. Only for runs of blanks does a tokenizer need fewer tokens. */
const UNITS_PER_TOKEN_MAX = 24;

export interface LocalRuntime {
  /** Returns the token ids of a text. A text that is longer than the model reads has several parts, of nearly equal length. */
  tokenize(text: string, use: EmbeddingUse): number[][];
  /**
   * Returns the vector of one part, with length 1, or zeros when the model computes no finite numbers. Blocks the thread. Parts never
   * run together: with weights of 8 bits, the vector of a text would depend on the other texts (cosine 0.97 instead of 1), and on one
   * core it saves no time for chunks of usual length. Only short texts would take less: 8 words 2.7 ms instead of 4.4 with MiniLM.
   */
  run(ids: readonly number[]): Promise<Float32Array>;
}

/** Loads a model. @throws Error that says why the model cannot be used. */
export async function openLocalRuntime(model: LocalModel): Promise<LocalRuntime> {
  const ort = await openOrt();
  const session = await openSession(ort, model);
  const output = findOutput(session, model);
  const inputs = new Set(session.inputNames);
  const unknown = session.inputNames.find((name) => !KNOWN_INPUTS.includes(name));
  if (unknown !== undefined || !inputs.has('input_ids')) {
    throw new Error(`its inputs are ${session.inputNames.join(', ')}; ${KNOWN_INPUTS.join(', ')} are known`);
  }
  // Static models (potion and others of Model2Vec) take texts as one row of tokens, with the offset of each text.
  const isBag = inputs.has('offsets');
  const tokenize = await openTextTokenizer(model, !isBag);
  const compute = async (ids: readonly number[]): Promise<Float32Array> => {
    const tensor = (data: BigInt64Array, shape: readonly number[]): Tensor => new ort.Tensor('int64', data, shape);
    const shape = isBag ? [ids.length] : [1, ids.length];
    const feeds: Record<string, Tensor> = {
      offsets: tensor(BigInt64Array.of(0n), [1]),
      input_ids: tensor(BigInt64Array.from(ids, BigInt), shape),
      attention_mask: tensor(new BigInt64Array(ids.length).fill(1n), shape),
      token_type_ids: tensor(new BigInt64Array(ids.length), shape),
    };
    const results = await session.run(Object.fromEntries(Object.entries(feeds).filter(([name]) => inputs.has(name))));
    return readVector(results[output]!, model);
  };
  const [probe] = tokenize(PROBE_TEXT, '');
  if (isBroken(await compute(probe!))) throw new Error('its numbers are not finite');
  return {
    tokenize: (text, use) => tokenize(text, model.prefixes[use]),
    async run(ids) {
      const vector = await compute(ids);
      return isBroken(vector) ? new Float32Array(vector.length) : vector;
    },
  };
}

export type Ort = typeof import('onnxruntime-web') & { isNative: boolean };

/** Loads ONNX Runtime. The native package has the same interface, and needs a quarter of the time and half of the memory. */
export async function openOrt(): Promise<Ort> {
  try {
    return { ...(await import(NATIVE_RUNTIME)), isNative: true };
  } catch (why) {
    // The start has checked that one of the two packages is installed. Without this one, the native one failed to load.
    return { ...(await import('onnxruntime-web').catch(() => Promise.reject(why))), isNative: false };
  }
}

export async function openSession(ort: Ort, { modelFile, weightsFile }: LocalModel): Promise<InferenceSession> {
  ort.env.logLevel = 'error';
  // The native runtime finds the weights beside the model. It uses one thread, as WebAssembly does.
  if (ort.isNative) return ort.InferenceSession.create(modelFile, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  // More threads would start further workers.
  ort.env.wasm.numThreads = 1;
  return ort.InferenceSession.create(readFileSync(modelFile), {
    executionProviders: ['wasm'],
    ...(weightsFile === null ? {} : { externalData: [{ path: nameIn(weightsFile), data: readFileSync(weightsFile) }] }),
  });
}

/** Shows whether the model works at all, or fails only for certain texts. */
const PROBE_TEXT = 'text';

/** Returns true for a vector from unit() whose numbers are not finite. */
function isBroken([first]: Float32Array): boolean {
  return Number.isNaN(first);
}

const KNOWN_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids', 'offsets'];
/** Names of outputs: first the vectors of whole texts, then the vectors of tokens. */
const OUTPUTS = ['sentence_embedding', 'last_hidden_state', 'token_embeddings'];

function findOutput({ outputNames }: InferenceSession, { unpoolable }: LocalModel): string {
  const output = OUTPUTS.find((name) => outputNames.includes(name)) ?? outputNames[0]!;
  if (output !== OUTPUTS[0] && unpoolable !== null) throw new Error(unpoolable);
  return output;
}

function readVector({ data, dims }: Tensor, { pooling }: LocalModel): Float32Array {
  if (!(data instanceof Float32Array)) throw new Error('its vectors are not 32-bit numbers');
  const dimension = dims.at(-1)!;
  if (dimension > EMBEDDING_DIMENSIONS_MAX)
    throw new Error(`its vectors have ${dimension} dimensions, more than ${EMBEDDING_DIMENSIONS_MAX}`);
  if (dims.length === 2) return unit(data);
  if (dims.length !== 3) throw new Error(`its output has ${dims.length} axes`);
  return pool(data, dimension, pooling);
}

/**
 * Returns the function that makes the token ids of a text, in as many parts as the model needs to read it. Each part has the special
 * tokens and the prefix. Tokens of a text after TEXT_TOKENS_MAX are cut off.
 *
 * @param withSpecial false leaves out the special tokens and unknown words.
 */
async function openTextTokenizer(
  { directory, tokensMax, padId }: LocalModel,
  withSpecial: boolean,
): Promise<(text: string, prefix: string) => number[][]> {
  const { tokenizer, description } = await openTokenizer(directory);
  const encode = (text: string, add_special_tokens: boolean): number[] =>
    tokenizer.encode(text, { add_special_tokens }).ids as number[];
  const around = withSpecial ? encode('', true) : [];
  const unknown = withSpecial ? undefined : unknownTokenOf(description);
  const [whole, inner] = [encode('a', true), encode('a', false)];
  const before = Math.max(
    0,
    whole.findIndex((_, i) => inner.every((id, k) => whole[i + k] === id)),
  );
  const known = (text: string): number[] => encode(text, false).filter((id) => id !== unknown);
  return (text, prefix) => {
    const cut = text.slice(0, TEXT_TOKENS_MAX * UNITS_PER_TOKEN_MAX).toWellFormed();
    const ids = known(prefix + cut);
    const start = known(prefix.trimEnd());
    const repeated = start.every((id, i) => ids[i] === id) ? start : [];
    const body = ids.slice(repeated.length, TEXT_TOKENS_MAX);
    const partMax = Math.max(1, tokensMax - around.length - repeated.length);
    const count = Math.max(1, Math.ceil(body.length / partMax));
    const size = Math.ceil(body.length / count);
    return Array.from({ length: count }, (_, i) => {
      const part = body.slice(i * size, (i + 1) * size);
      const all = [...around.slice(0, before), ...repeated, ...part, ...around.slice(before)];
      return all.length > 0 ? all : [padId];
    });
  };
}

/** Returns the tokenizer of a model directory, and its description. */
export async function openTokenizer(directory: string): Promise<{ tokenizer: Tokenizer; description: object }> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const read = (name: string): object => JSON.parse(readFileSync(join(directory, name), 'utf8')) as object;
  const description = read('tokenizer.json');
  return { tokenizer: new Tokenizer(description, readOr(read, 'tokenizer_config.json')), description };
}

/** Returns the id of the token for words that are not in the vocabulary. */
function unknownTokenOf(description: object): number | undefined {
  const { model } = description as { model?: { unk_id?: unknown; unk_token?: unknown; vocab?: unknown } };
  if (typeof model?.unk_id === 'number') return model.unk_id;
  const id = (model?.vocab as Record<string, unknown> | undefined)?.[String(model?.unk_token)];
  return typeof id === 'number' ? id : undefined;
}

function readOr(read: (name: string) => object, name: string): object {
  try {
    return read(name);
  } catch {
    return {};
  }
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
