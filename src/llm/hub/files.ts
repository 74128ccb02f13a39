/** Chooses the files of a model that are downloaded. Pure. */
import { ServiceError } from '../../errors.ts';
import { MODEL_BYTES_MAX, MODEL_FILES, TOKENIZER_FILE, weightsBeside } from '../local/model.ts';
import type { HubFile, HubModel } from './api.ts';

/** What a model is for. */
export type Purpose = 'embedding' | 'entailment';

export interface Choice {
  purpose: Purpose;
  /** The ONNX file among `files`. */
  modelFile: string;
  files: readonly HubFile[];
}

export interface Wish {
  /** An ONNX file by its path. */
  file: string | null;
  /** Prefers the file with 8-bit weights. */
  quantized: boolean;
}

const EMBEDDING_TASKS = ['sentence-similarity', 'feature-extraction', 'fill-mask'];
const ENTAILMENT_TASK = 'zero-shot-classification';
/** Names of models that were trained on natural language inference: `nli-deberta-v3-xsmall`, `mDeBERTa-v3-base-mnli-xnli`. */
const ENTAILMENT_NAME = /(?:^|[-_/.])[mx]?nli(?:[-_.]|$)/i;
const RERANK_TAG = /^(?:cross-encoder|text-ranking|reranker)$/;
const QUANTIZED = /quantized|int8|uint8/;
/** Files with pooling, lengths and prefixes, and the licence. */
const SMALL_FILES = [
  /^(?:config|tokenizer_config|special_tokens_map|modules|sentence_bert_config|config_sentence_transformers)\.json$/,
  /^\d+_\w+\/config\.json$/,
  /^(?:LICEN[CS]E|NOTICE)(?:\.\w+)?$/,
];
const SMALL_BYTES_MAX = 4 * 1024 ** 2;
const NAMED_MAX = 6;

/** @throws ServiceError when the model is none that can run here. */
export function chooseFiles(model: HubModel, wish: Wish): Choice {
  const purpose = purposeOf(model);
  const refuse = (why: string): never => {
    throw new ServiceError('invalid_request', `${model.name} cannot be used here: ${why}.`);
  };
  const byPath = new Map(model.files.map((file) => [file.path, file]));
  const onnx = model.files.map(({ path }) => path).filter((path) => path.endsWith('.onnx'));
  const modelFile = wish.file ?? preferred(onnx, wish.quantized);
  if (modelFile === undefined) {
    if (onnx.length === 0)
      return refuse('it has no ONNX file (exports are often in models of the same name by others)');
    return refuse(
      `none of its ONNX files has a usual name; give one with --file: ${onnx.slice(0, NAMED_MAX).join(', ')}`,
    );
  }
  const main = byPath.get(modelFile);
  if (main === undefined || !modelFile.endsWith('.onnx')) {
    const others = onnx.length === 0 ? 'it has none' : `it has ${onnx.slice(0, NAMED_MAX).join(', ')}`;
    return refuse(`it has no ONNX file ${modelFile}; ${others}`);
  }
  const tokenizer = byPath.get(TOKENIZER_FILE);
  if (tokenizer === undefined) return refuse(`it has no ${TOKENIZER_FILE}`);
  const weights = weightsBeside(modelFile).flatMap((path) => byPath.get(path) ?? []);
  const bytes = [main, ...weights].reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > MODEL_BYTES_MAX) {
    return refuse(`${modelFile} has ${bytes} bytes, and ${MODEL_BYTES_MAX} can be loaded; try --quantized`);
  }
  const isSmallFile = ({ path, bytes: size }: HubFile): boolean =>
    SMALL_FILES.some((pattern) => pattern.test(path)) && size <= SMALL_BYTES_MAX;
  const small = model.files.filter(isSmallFile);
  return { purpose, modelFile, files: [...small, tokenizer, main, ...weights] };
}

function preferred(onnx: readonly string[], quantized: boolean): string | undefined {
  const usual = MODEL_FILES.filter((path) => onnx.includes(path));
  const wanted = usual.find((path) => QUANTIZED.test(path) === quantized);
  // Some models have only full or only quantized weights.
  return wanted ?? usual[0];
}

/**
 * Returns what a model is for. Rerank models are refused: one of the smallest takes 12 s for the 50 candidates of a search on one core
 * in WebAssembly, where searches wait for 3 s.
 *
 * @throws ServiceError for models that are for something else.
 */
function purposeOf({ name, task, tags }: HubModel): Purpose {
  const isClassifier = task === 'text-classification' || task === 'text-ranking';
  if (task === ENTAILMENT_TASK || (isClassifier && ENTAILMENT_NAME.test(name))) return 'entailment';
  const isEncoder = tags.includes('sentence-transformers') || (task !== null && EMBEDDING_TASKS.includes(task));
  const isRerank = tags.some((tag) => RERANK_TAG.test(tag)) || task === 'text-ranking';
  if (isRerank || (!isEncoder && /rerank|cross-encoder/i.test(name))) {
    const how = 'serve it behind a /rerank endpoint and set PINAKES_RERANK_BASE_URL';
    throw new ServiceError(
      'invalid_request',
      `${name} is a rerank model, and these do not run in the service: ${how}.`,
    );
  }
  if (task === null || isEncoder) return 'embedding';
  throw new ServiceError('invalid_request', `${name} is a model for ${task}, not for embedding or entailment.`);
}
