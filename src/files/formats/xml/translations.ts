/** Writes catalogues of translations in XML (XLIFF, TMX, TS of Qt): each message is a record with its translations. */
import { type Line, translationLabel, writeMessage } from '../data/translations.ts';
import type { TextBuilder } from '../text-builder.ts';
import { attribute, childElements, findElements, textOf, type XmlElement } from './tree.ts';

/** Writes the units of an XLIFF file (1.x and 2.x). */
export function writeXliff(top: XmlElement, builder: TextBuilder): void {
  let count = 0;
  for (const file of findElements(top, 'file')) {
    const label = translationLabel(attribute(file, 'target-language') || attribute(top, 'trgLang'));
    const place = attribute(file, 'original') || attribute(file, 'id');
    builder.add({ kind: 'heading', level: 1 }, place === '' ? '' : `# ${place}`);
    for (const unit of [...findElements(file, 'trans-unit'), ...findElements(file, 'unit')]) {
      const segments = unit.name === 'unit' ? findElements(unit, 'segment') : [unit];
      const notes = findElements(unit, 'note').map((note): Line => ['comment', textOf(note)]);
      const targets = segments.flatMap((segment) => childElements(segment, 'target'));
      const state = [...targets, ...segments].map((element) => attribute(element, 'state')).find(Boolean) ?? '';
      writeMessage(builder, count, [
        ['source', segments.flatMap((segment) => childElements(segment, 'source').map(textOf)).join('\n')],
        [label, targets.map(textOf).join('\n')],
        ['key', keysOf(unit)],
        ['state', state === 'translated' || state === 'final' ? '' : state],
        ...notes,
      ]);
      count += 1;
    }
  }
}

/** Returns the names by which programs find a message. A number, or the text itself, says nothing. */
function keysOf(unit: XmlElement): string {
  const names = ['resname', 'name', 'id'].map((name) => attribute(unit, name).trim());
  const sources = new Set(findElements(unit, 'source').map(textOf));
  return [...new Set(names)].filter((name) => /\p{L}/u.test(name) && !sources.has(name) && !HASH.test(name)).join(', ');
}

const HASH = /^[\da-f]{16,}$/i;

/** Writes the units of a translation memory (TMX). Each text has its language as label. */
export function writeTmx(top: XmlElement, builder: TextBuilder): void {
  for (const [index, unit] of findElements(top, 'tu').entries()) {
    const texts = childElements(unit, 'tuv').map((variant): Line => {
      const language = attribute(variant, 'xml:lang') || attribute(variant, 'lang');
      return [language || 'text', findElements(variant, 'seg').map(textOf).join('\n')];
    });
    const notes = childElements(unit, 'note').map((note): Line => ['comment', textOf(note)]);
    writeMessage(builder, index, [...texts, ...notes]);
  }
}

/** Writes the messages of a catalogue of Qt Linguist. */
export function writeQt(top: XmlElement, builder: TextBuilder): void {
  const label = translationLabel(attribute(top, 'language'));
  let count = 0;
  for (const context of childElements(top, 'context')) {
    for (const message of childElements(context, 'message')) {
      const texts = (name: string) => childElements(message, name).map((element) => textOf(element).trim());
      const [translation] = childElements(message, 'translation');
      const forms = translation ? findElements(translation, 'numerusform').map(textOf) : [];
      writeMessage(builder, count, [
        ['source', texts('source').join('\n')],
        [label, forms.length > 0 ? forms.join('\n') : textOf(translation)],
        ['key', keysOf(message)],
        ['context', textOf(childElements(context, 'name')[0])],
        ['comment', [...texts('comment'), ...texts('extracomment'), ...texts('translatorcomment')].join('\n')],
        ['state', translation ? attribute(translation, 'type') : ''],
      ]);
      count += 1;
    }
  }
}
