/** What parsers may ask of programs of the system, which run outside of the parser's process (tool-runner.ts), and of the service. */

import type { FileFailure } from '../corpus/values.ts';
import type { NameEntity } from '../redaction/detectors/entities.ts';
import type { FindNames } from '../redaction/names.ts';

export const TOOL_NAMES = ['ocr', 'office'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

export type OfficeFormat = 'docx' | 'xlsx' | 'pptx';

/** `ocr`: the words of a picture; of the file itself, or of these bytes. `office`: the file itself in a newer format. */
export type ToolCall = { tool: 'ocr'; image: Uint8Array | null } | { tool: 'office'; to: OfficeFormat };
/** For the redaction rules of the file: the names in a text, as JSON. */
export interface NamesCall {
  tool: 'names';
  text: string;
  entities: readonly NameEntity[];
}

export type ToolAnswer = { ok: true; bytes: Uint8Array } | { ok: false; failure: FileFailure };

/** Absent members are switched off or not installed. They throw FileError. */
export interface Tools {
  /** Tab-separated words with their places, as tesseract writes them; of the whole file when no picture is given. */
  ocr?(image: Uint8Array | null): Promise<string>;
  office?(to: OfficeFormat): Promise<Uint8Array>;
  names?: FindNames;
}

export const NO_TOOLS: Tools = {};
