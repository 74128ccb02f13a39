/** Reads subtitles in XML (TTML). */
import { oneLine } from '../../../util/code-points.ts';
import { type Cue, clock } from '../speech.ts';
import { attribute, childAt, childElements, findElements, localAttribute, textOf, type XmlElement } from './tree.ts';

/** Returns the paragraphs of TTML with their times. */
export function timedText(top: XmlElement): Cue[] {
  const rate = (name: string, usual: number) => 1 / (Number(localAttribute(top, name)) || usual);
  const rates = { h: 3600, m: 60, s: 1, ms: 0.001, f: rate('frameRate', 30), t: rate('tickRate', 1) };
  const time = (value: string) => {
    const [, count, unit] = /^([\d.]{1,20})(h|m|s|ms|f|t)$/.exec(value) ?? [];
    return unit ? Number(count) * rates[unit as keyof typeof rates] : clock(value.split(':').slice(0, 3).join(':'));
  };
  const nameOf = (agent: XmlElement) => oneLine(textOf(childAt(agent, 'name')));
  const agents = new Map(findElements(top, 'agent').map((agent) => [attribute(agent, 'xml:id'), nameOf(agent)]));
  /** Times count from the start of the element around. */
  const cuesIn = (element: XmlElement, from: number): Cue[] => {
    const start = from + time(attribute(element, 'begin'));
    if (element.name !== 'p') return childElements(element).flatMap((child) => cuesIn(child, start));
    for (const part of ['br', 'title', 'desc'].flatMap((name) => findElements(element, name)))
      part.children = ['\n', ...part.children, '\n'];
    const lines = textOf(element).split('\n').map(oneLine).filter(Boolean);
    const [end, duration] = [attribute(element, 'end'), attribute(element, 'dur')];
    const agent = attribute(element, 'ttm:agent');
    const speaker = (agent && agents.get(agent)) ?? '';
    return lines.length > 0 ? [{ start, end: end ? from + time(end) : start + time(duration), speaker, lines }] : [];
  };
  return cuesIn(top, 0);
}
