/**
 * The small file that `pinakes models pull` writes beside a model. It says how the model is used, and counts more than what the
 * model's own files say: the operator may change it.
 */
import { z } from 'zod';

export const NOTES_FILE = 'pinakes.json';

const PREFIX_LENGTH_MAX = 1_000;

export const notesSchema = z.object({
  /** Its name at the hub, and the commit. */
  model: z.string(),
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
});

export type ModelNotes = z.infer<typeof notesSchema>;
