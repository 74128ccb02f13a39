/** Names the tables of a source, so that a new version of the source finds them again. Pure. */
import type { TablePlace } from '../corpus/values.ts';
import type { TablePosition } from './table.ts';

export interface NamedPlace {
  /** Sheet or headings above, and the number among the tables there. */
  key: string;
  place: TablePlace;
  position: TablePosition;
}

/** Returns the places with their keys, in the order of the text. */
export function namePlaces(places: readonly TablePlace[]): NamedPlace[] {
  const counts = new Map<string, number>();
  return places.map((place, index) => {
    const { sheet, range, page, headingPath } = place;
    const where = JSON.stringify([sheet ?? null, headingPath ?? []]);
    const number = counts.get(where) ?? 0;
    counts.set(where, number + 1);
    return {
      key: `${where}#${number}`,
      place,
      position: {
        ...(sheet !== undefined && { sheet }),
        ...(range !== undefined && { range }),
        ...(page !== undefined && { page }),
        ...(headingPath !== undefined && { headingPath }),
        index,
      },
    };
  });
}

const NAME_UNITS_MAX = 200;

/** Returns the name of a table for people: the name of the source, and what tells the table from others of the source. */
export function tableName(sourceName: string, { place, key }: NamedPlace, places: readonly NamedPlace[]): string {
  const base = sourceName.replace(/^.*[/\\]/, '').replace(/\.[A-Za-z0-9]{1,8}$/, '') || sourceName;
  if (places.length === 1) return base.slice(0, NAME_UNITS_MAX).toWellFormed();
  const where = place.sheet ?? place.headingPath?.at(-1);
  const number = Number(key.slice(key.lastIndexOf('#') + 1));
  const parts = [
    base,
    ...(where === undefined ? [] : [where]),
    ...(number > 0 || where === undefined ? [`${number + 1}`] : []),
  ];
  return parts.join(' – ').slice(0, NAME_UNITS_MAX).toWellFormed();
}

/** Returns the name of a table for people whose file is at an address: the name of the file, or else the host. */
export function nameOfUrl(url: string): string {
  const { pathname, host } = new URL(url);
  const segment = pathname.split('/').findLast((one) => one !== '') ?? host;
  return (
    segment
      .replace(/\.[A-Za-z0-9]{1,8}$/, '')
      .slice(0, NAME_UNITS_MAX)
      .toWellFormed() || host
  );
}
