/** Writes MathML formulas as LaTeX. */
import { childElements, textOf, type XmlElement } from './tree.ts';

const ACCENTS: Readonly<Record<string, string>> = { '¯': 'overline', '^': 'hat', '˜': 'tilde', '→': 'vec', '˙': 'dot' };

/** Returns a formula as LaTeX, read from its elements. Annotations with the source are ignored, because not all are LaTeX. */
export function mathmlText(math: XmlElement): string {
  return text(math).replace(/\s+/g, ' ').trim();
}

function text(element: XmlElement): string {
  const parts = childElements(element).map((child) => ({ name: child.name, source: child }));
  const at = (index: number): string => (parts[index] ? text(parts[index].source).trim() : '');
  switch (element.name) {
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'mi':
    case 'mn':
    case 'mtext':
      return textOf(element).trim();
    case 'mo':
      return operator(textOf(element).trim());
    case 'mfrac':
      return `\\frac{${at(0)}}{${at(1)}}`;
    case 'msqrt':
      return `\\sqrt{${childrenLatex(element).trim()}}`;
    case 'mroot':
      return `\\sqrt[${at(1)}]{${at(0)}}`;
    case 'msup':
      return `${base(at(0))}^{${at(1)}}`;
    case 'msub':
    case 'munder':
      return `${base(at(0))}_{${at(1)}}`;
    case 'msubsup':
    case 'munderover':
      return `${at(0)}_{${at(1)}}^{${at(2)}}`;
    case 'mover': {
      // Each part is read once. A second reading would double the work with each level.
      const [below, above] = [at(0), at(1)];
      const accent = ACCENTS[above];
      return accent === undefined ? `${below}^{${above}}` : `\\${accent}{${below}}`;
    }
    case 'mtr':
      return `${childElements(element, 'mtd').map(childrenLatex).join(' & ')} \\\\ `;
    default:
      return childrenLatex(element);
  }
}

function childrenLatex(element: XmlElement): string {
  return childElements(element).map(text).join('');
}

/** Returns the formula in braces, unless it is one character, a word, a number or an expression in brackets. */
function base(formula: string): string {
  return [...formula].length === 1 || /^(?:[\p{L}\p{N}]+|\([^()]*\))$/u.test(formula) ? formula : `{${formula}}`;
}

/** Returns the sign, with blanks around it if it stands between two operands. */
function operator(sign: string): string {
  return /^[=<>≤≥≠≈→⇒+−∈∪∩±×⋅·∗-]$/.test(sign) ? ` ${sign} ` : sign;
}
