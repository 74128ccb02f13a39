/** A line of a PDF page, made by the readers of columns and tables. */
import type { Link } from '../../../text/link-line.ts';

export interface PdfLine {
  text: string;
  /** Font size in points, 0 when unknown. */
  size: number;
  /** True if the line is bold from its first to its last character. */
  bold?: boolean;
  /** True if the line seems to start a paragraph by its place. A small first letter overrules it. */
  opens?: boolean;
  links?: readonly Link[];
  /** Cells of a table by rows; `text` then has the text of the whole table. */
  rows?: readonly (readonly string[])[];
}
