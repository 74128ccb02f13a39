import { Fragment, type ReactNode } from 'react';
import { type Key, sayPieces, type Values } from '../words/words.ts';

/** A text of the catalogue in which some places are more than text. */
export function Rich({ id, values = {}, ...nodes }: { id: Key; values?: Values } & Record<string, ReactNode | Values>) {
  return sayPieces(id, values).map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change their order
    <Fragment key={at}>{piece.place === undefined ? piece.text : (nodes[piece.place] as ReactNode)}</Fragment>
  ));
}
