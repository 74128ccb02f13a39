/** Cuts the units of a chunk into passages that a citation can quote whole. */
import { cutIntoPieces, type Unit } from '../../text/sentences.ts';
import { codePointLength } from '../../util/code-points.ts';

/** Maximum length of a piece of a long unit: a little less than a quote may have, so that a citation can quote it whole. */
const PIECE_CODE_POINTS_MAX = 290;
/** Maximum length of an item that names what the items below it speak of. */
const NAME_UNITS_MAX = 80;

/** Returns the units; those of items that are indented below a short item are one with it, because it names what they speak of. */
export function withInnerItems(content: string, units: readonly Unit[]): Unit[] {
  const indentOf = ({ start }: Unit): number => start - content.lastIndexOf('\n', start) - 1;
  const joined: Unit[] = [];
  let name: Unit | undefined;
  for (const unit of units) {
    if (name && unit.kind === 'item' && indentOf(unit) > indentOf(name)) joined.at(-1)!.end = unit.end;
    else {
      joined.push({ ...unit });
      name = unit.kind === 'item' && unit.end - unit.start <= NAME_UNITS_MAX ? unit : undefined;
    }
  }
  return joined;
}

/** Cuts a unit that is longer than the limit into pieces, each of as many clauses as fit. */
export function piecesOf(content: string, { start, end }: Unit): { start: number; end: number }[] {
  if (codePointLength(content.slice(start, end)) <= PIECE_CODE_POINTS_MAX) return [{ start, end }];
  const pieces: { start: number; end: number }[] = [];
  for (const piece of cutIntoPieces(content, start, end)) {
    const last = pieces[pieces.length - 1];
    if (last !== undefined && codePointLength(content.slice(last.start, piece.end)) <= PIECE_CODE_POINTS_MAX)
      last.end = piece.end;
    else pieces.push({ ...piece });
  }
  return pieces.flatMap((piece) => {
    const text = content.slice(piece.start, piece.end);
    const from = piece.start + text.length - text.trimStart().length;
    return text.trim() === '' ? [] : [{ start: from, end: from + text.trim().length }];
  });
}
