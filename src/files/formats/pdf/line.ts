/** A line of a PDF page, as the readers of columns and tables hand it on. */
import type { Link } from '../../../text/link-line.ts';

export interface PdfLine {
  text: string;
  /** Font size in points, 0 when unknown. */
  size: number;
  /** Set in bold type from its first to its last character. */
  bold?: boolean;
  /** Seems to begin a paragraph where it was seen; a small letter says otherwise. */
  opens?: boolean;
  links?: readonly Link[];
  /** Cells by rows: a table; `text` is what they hold. */
  rows?: readonly (readonly string[])[];
}
