/** Reads subtitles in XML (TTML). */
import { oneLine } from '../../../util/code-points.ts';
import { type Cue, clock } from '../speech.ts';
import { attribute, childAt, findElements, textOf, type XmlElement } from './tree.ts';

/** Returns the paragraphs of TTML with their times. */
export function* timedText(top: XmlElement): Generator<Cue> {
  const rate = (name: string, usual: number) => Number(attribute(top, name)) || usual;
  const rates = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / rate('ttp:frameRate', 30), t: 1 / rate('ttp:tickRate', 1) };
  const time = (value: string | undefined) => {
    const [, count, unit] = /^([\d.]{1,20})(h|m|s|ms|f|t)$/.exec(value ?? '') ?? [];
    return unit
      ? Number(count) * rates[unit as keyof typeof rates]
      : clock((value ?? '').split(':').slice(0, 3).join(':'));
  };
  const name = (agent: XmlElement) => textOf(childAt(agent, 'name') ?? agent).trim();
  const names = new Map(findElements(top, 'agent').map((agent) => [attribute(agent, 'xml:id'), name(agent)]));
  for (const part of findElements(top, 'p')) {
    for (const stop of findElements(part, 'br')) stop.children = ['\n'];
    const lines = textOf(part).split('\n').map(oneLine).filter(Boolean);
    const [start, end] = [time(attribute(part, 'begin')), time(attribute(part, 'end'))];
    if (lines.length > 0) yield { start, end, speaker: names.get(attribute(part, 'ttm:agent')) ?? '', lines };
  }
}
