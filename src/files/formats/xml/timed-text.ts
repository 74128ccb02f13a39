/** Reads subtitles in XML (TTML). */
import { oneLine } from '../../../util/code-points.ts';
import { type Cue, clock } from '../speech.ts';
import { attribute, childAt, findElements, textOf, type XmlElement } from './tree.ts';

/** Returns the paragraphs of TTML with their times. */
export function* timedText(top: XmlElement): Generator<Cue> {
  const rates = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / 30, t: 1 / (Number(attribute(top, 'ttp:tickRate')) || 1) };
  const time = (value: string) => {
    const [, count, unit] = /^([\d.]{1,20})(h|m|s|ms|f|t)$/.exec(value) ?? [];
    return unit ? Number(count) * rates[unit as keyof typeof rates] : clock(value.split(':').slice(0, 3).join(':'));
  };
  const agents = findElements(top, 'agent').map(
    (agent) => [attribute(agent, 'xml:id'), childAt(agent, 'name')] as const,
  );
  for (const part of findElements(top, 'p')) {
    const name = agents.find(([id]) => id !== '' && id === attribute(part, 'ttm:agent'))?.[1];
    for (const stop of findElements(part, 'br')) stop.children = ['\n'];
    const lines = textOf(part).split('\n').map(oneLine).filter(Boolean);
    const [start = 0, end = 0] = ['begin', 'end'].map((edge) => time(attribute(part, edge) ?? ''));
    if (lines.length > 0) yield { start, end, speaker: name ? oneLine(textOf(name)) : '', lines };
  }
}
