/** Writes formulas of Office files (OMML) as LaTeX. */
import { attribute, childAt, childElements, textOf, type XmlElement } from '../xml/tree.ts';
import { isOn } from './hidden.ts';

/** Returns a formula as LaTeX, without hidden and deleted text. */
export function latexText(element: XmlElement): string {
  return latexOf(element).replace(/\s+/g, ' ').trim();
}

/** The XML reader limits the depth of the recursion. */
function latexOf(element: XmlElement | undefined): string {
  if (!element) return '';
  const part = (name: string) => latexOf(childAt(element, name));
  const property = (name: string, usual: string) => {
    const found = childAt(element, `${element.name}Pr`, name);
    return found ? attribute(found, 'm:val') : usual;
  };
  switch (element.name) {
    case 't':
      return textOf(element);
    case 'del':
    case 'moveFrom':
      return '';
    case 'f':
      return `\\frac{${part('num')}}{${part('den')}}`;
    case 'sSup':
      return `${part('e')}^{${part('sup')}}`;
    case 'sSub':
      return `${part('e')}_{${part('sub')}}`;
    case 'sSubSup':
      return `${part('e')}_{${part('sub')}}^{${part('sup')}}`;
    case 'sPre':
      return `{}_{${part('sub')}}^{${part('sup')}}${part('e')}`;
    case 'rad': {
      // Each part is read once. A second reading would double the work with each level.
      const degree = part('deg');
      return `\\sqrt${degree === '' ? '' : `[${degree}]`}{${part('e')}}`;
    }
    case 'nary':
      return `${property('chr', '∫')}_{${part('sub')}}^{${part('sup')}} ${part('e')}`.replace(/[_^]\{\}/g, '');
    case 'limLow':
      return `${part('e')}_{${part('lim')}}`;
    case 'limUpp':
      return `${part('e')}^{${part('lim')}}`;
    case 'bar':
      return `\\overline{${part('e')}}`;
    case 'func':
      return `${part('fName')} ${part('e')}`;
    case 'd': {
      const inner = childElements(element, 'e').map(latexOf).join(property('sepChr', '|'));
      return `${property('begChr', '(')}${inner}${property('endChr', ')')}`;
    }
    case 'eqArr':
      return childElements(element, 'e').map(latexOf).join(' \\\\ ');
    case 'm':
      return `\\begin{matrix}${childElements(element, 'mr')
        .map((row) => childElements(row, 'e').map(latexOf).join(' & '))
        .join(' \\\\ ')}\\end{matrix}`;
    default:
      if (isOn(childAt(element, 'rPr', 'vanish'))) return '';
      return childElements(element)
        .filter(({ name }) => !name.endsWith('Pr'))
        .map(latexOf)
        .join('');
  }
}
