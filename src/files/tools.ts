/** Calls that a parser makes to programs of the system (run by tool-runner.ts outside the parser's process) and to the service. */

import type { FileFailure } from '../corpus/values.ts';
import type { NameEntity } from '../redaction/detectors/entities.ts';
import type { FindNames } from '../redaction/names.ts';

const TOOL_NAMES = ['ocr', 'office'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

export type OfficeFormat = 'docx' | 'xlsx' | 'pptx';

/** `ocr` reads the words of a picture: of `image`, or of the file itself if `image` is null. `office` converts the file itself. */
export type ToolCall = { tool: 'ocr'; image: Uint8Array | null } | { tool: 'office'; to: OfficeFormat };
/** Finds the names in a text, for the redaction rules of the file. The answer is JSON. */
export interface NamesCall {
  tool: 'names';
  text: string;
  entities: readonly NameEntity[];
}

/** Asks for the bytes of another file of the source group, which the current file includes. */
export interface IncludeCall {
  tool: 'include';
  path: string;
}

/** A call that the service answers itself. */
export type ServiceCall = NamesCall | IncludeCall;

export type ToolAnswer = { ok: true; bytes: Uint8Array } | { ok: false; failure: FileFailure };

/** The processor time of a call. Without it, the time by the clock counts. */
export interface Used {
  usedMs?: number;
}

/** The available tools. A tool that is switched off or not installed is absent. All throw FileError. */
export interface Tools {
  /** Returns tab-separated words with their places, as tesseract writes them. Without an image, the file itself is read. */
  ocr?(image: Uint8Array | null): Promise<string>;
  office?(to: OfficeFormat): Promise<Uint8Array>;
  names?: FindNames;
  /** Returns the bytes of the file at a path of the source group, or the reason why it cannot be included. Never throws. */
  include?(path: string): Promise<Uint8Array | string>;
}

export const NO_TOOLS: Tools = {};
