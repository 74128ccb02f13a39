/**
 * The small file that `pinakes models pull` writes beside a model. It says how the model is used, and the operator may change it. It takes
 * precedence over the model's own files.
 */
import { z } from 'zod';

export const NOTES_FILE = 'pinakes.json';

const PREFIX_LENGTH_MAX = 1_000;

export const notesSchema = z.object({
  /** The name of the model at the hub. */
  model: z.string(),
  /** The commit. */
  revision: z.string(),
  license: z.string().nullable(),
  /** The ONNX file that is used. */
  file: z
    .string()
    .regex(/^(?!.*\.\.)[\w-][\w./-]*\.onnx$/)
    .optional(),
  pooling: z.enum(['mean', 'cls', 'max', 'last']).optional(),
  query_prefix: z.string().max(PREFIX_LENGTH_MAX).optional(),
  passage_prefix: z.string().max(PREFIX_LENGTH_MAX).optional(),
  /** Why the model failed its test after the download. */
  problem: z.string().optional(),
});

export type ModelNotes = z.infer<typeof notesSchema>;
