/** Escapes of roff as plain text. Pure; one pass over the line. */
import { ownValue } from '../../../util/own-value.ts';

/** What strings (`\*x`), registers (`\nx`) and macro arguments (`\$1`) stand for. */
export interface RoffValues {
  strings: ReadonlyMap<string, string>;
  registers: ReadonlyMap<string, RoffRegister>;
  /** Arguments of the macro that is being expanded. */
  arguments: readonly string[];
  /** UTF-16 units that strings and arguments may still add to this file. */
  room: number;
}

/** A number that a page counts with. */
export interface RoffRegister {
  value: number;
  /** What `\n+x` adds. */
  step: number;
}

/** Nested strings in strings. */
const STRING_DEPTH_MAX = 4;
/** Escapes in escapes. */
const DEPTH_MAX = 50;

/** Joins the line to the next one without a blank. */
export const JOIN = '\ue0c8';

/** The text of a line without escapes. A trailing `\c` becomes JOIN. */
export function roffText(source: string, values: RoffValues, depth = 0): string {
  if (!source.includes('\\')) return source;
  const out: string[] = [];
  let from = 0;
  for (let at = source.indexOf('\\'); at !== -1; at = source.indexOf('\\', from)) {
    out.push(source.slice(from, at));
    const [text, next] = readEscape(source, at + 1, values, depth);
    out.push(text);
    from = next;
  }
  out.push(source.slice(from));
  return out.join('');
}

/** The text of the escape whose name is at `at`, and the index behind it. */
function readEscape(source: string, at: number, values: RoffValues, depth: number): [string, number] {
  const name = source[at];
  if (name === undefined) return ['', at];
  const simple = SIMPLE[name];
  if (simple !== undefined) return [simple, at + 1];
  switch (name) {
    case '"':
    case '#':
      return ['', source.length];
    case 'c':
      return [JOIN, source.length];
    case '(':
      return [special(source.slice(at + 1, at + 3)), Math.min(source.length, at + 3)];
    case '[': {
      const [value, next] = readName(source, at);
      return [special(value), next];
    }
    case '*': {
      const [value, next] = readName(source, at + 1);
      return [stringText(value.split(' ', 1)[0]!, values, depth), next];
    }
    case '$': {
      const [value, next] = readName(source, at + 1);
      return [argumentText(value, values), next];
    }
    case 'n': {
      const sign = /[+-]/.test(source[at + 1] ?? '') ? source[at + 1]! : '';
      const [value, next] = readName(source, at + 1 + sign.length);
      return [registerText(value, sign, values), next];
    }
    case 'f':
    case 'F':
    case 'g':
    case 'k':
    case 'm':
    case 'M':
    case 'O':
    case 'V':
    case 'Y':
      return ['', readName(source, at + 1)[1]];
    case 's':
      return ['', sizeEnd(source, at + 1)];
    case 'N': {
      const [value, next] = readQuoted(source, at + 1);
      const code = Number(value);
      return [code >= 32 && code < 256 ? String.fromCharCode(code) : '', next];
    }
    case 'C': {
      const [value, next] = readQuoted(source, at + 1);
      return [special(value), next];
    }
    case 'o':
    case 'Z': {
      const [value, next] = readQuoted(source, at + 1);
      if (depth >= DEPTH_MAX) return ['', next];
      return [roffText(name === 'o' ? value.slice(0, 1) : value, values, depth + 1), next];
    }
    case 'h': {
      const [value, next] = readQuoted(source, at + 1);
      return [value.startsWith('-') || value === '0' ? '' : ' ', next];
    }
    case 'A':
    case 'B':
    case 'b':
    case 'D':
    case 'H':
    case 'l':
    case 'L':
    case 'R':
    case 'S':
    case 'v':
    case 'w':
    case 'x':
    case 'X':
      return ['', readQuoted(source, at + 1)[1]];
    default:
      return [name, at + 1];
  }
}

/** `x`, `(xx` or `[name]`, and the index behind it. */
function readName(source: string, at: number): [string, number] {
  if (source[at] === '(') return [source.slice(at + 1, at + 3), Math.min(source.length, at + 3)];
  if (source[at] !== '[') return [source.slice(at, at + 1), Math.min(source.length, at + 1)];
  const end = source.indexOf(']', at);
  return end === -1 ? ['', source.length] : [source.slice(at + 1, end), end + 1];
}

/** What stands between two equal signs, and the index behind the second. */
function readQuoted(source: string, at: number): [string, number] {
  const sign = source[at];
  if (sign === undefined) return ['', at];
  const end = source.indexOf(sign, at + 1);
  return end === -1 ? [source.slice(at + 1), source.length] : [source.slice(at + 1, end), end + 1];
}

/** `\s-1`, `\s+(10`, `\s'12'`, `\s[12]`, `\s36`: sizes of one digit but for 10 to 39. */
function sizeEnd(source: string, at: number): number {
  const found = /[+-]?(?:\(\d\d|\[[^\]]{0,20}\]|'[^']{0,20}'|[+-]?[1-3]\d|[+-]?\d)/y;
  found.lastIndex = at;
  return found.test(source) ? found.lastIndex : at;
}

function stringText(name: string, values: RoffValues, depth: number): string {
  const value = values.strings.get(name) ?? ownValue(STRINGS, name) ?? '';
  return depth < STRING_DEPTH_MAX && takeRoom(value, values) ? roffText(value, values, depth + 1) : '';
}

function argumentText(name: string, values: RoffValues): string {
  if (values.room === 0) return '';
  const isAll = name === '*' || name === '@';
  const value = isAll ? values.arguments.join(' ') : (values.arguments[Number(name) - 1] ?? '');
  return takeRoom(value, values) ? value : '';
}

/** Whether there is room for what a name stands for; once there is not, nothing more is put in. */
function takeRoom(value: string, values: RoffValues): boolean {
  values.room = value.length > values.room ? 0 : values.room - value.length;
  return values.room > 0;
}

function registerText(name: string, sign: string, values: RoffValues): string {
  if (name === '.g') return '1';
  if (name === '.$') return String(values.arguments.length);
  const register = values.registers.get(name);
  if (!register) return '0';
  if (sign !== '') register.value += sign === '+' ? register.step : -register.step;
  return String(register.value);
}

function special(name: string): string {
  const known = ownValue(SPECIAL, name);
  if (known !== undefined) return known;
  const codes = /^u([0-9A-F]{4,6}(?:_[0-9A-F]{4,6}){0,4})$/i.exec(name)?.[1];
  if (codes !== undefined) return codes.split('_').map(codePoint).join('').normalize('NFC');
  const accent = /^(?:([A-Za-z])([`'^~:,o/])|([`'^~:,o/])([A-Za-z]))$/.exec(name);
  const [base, mark] = accent ? [accent[1] ?? accent[4]!, ACCENTS[accent[2] ?? accent[3]!]] : [];
  if (base !== undefined && mark !== undefined) return `${base}${mark}`.normalize('NFC');
  return name.length === 1 ? name : '';
}

function codePoint(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10ffff && (code & 0xfff800) !== 0xd800 ? String.fromCodePoint(code) : '';
}

const SIMPLE: Record<string, string> = {
  '-': '-',
  '&': '',
  '|': '',
  '^': '',
  '/': '',
  ',': '',
  ':': '',
  '%': '',
  ')': '',
  '{': '',
  '}': '',
  '!': '',
  '?': '',
  a: '',
  d: '',
  p: '',
  r: '',
  u: '',
  z: '',
  ' ': ' ',
  '~': ' ',
  '0': ' ',
  t: '\t',
  e: '\\',
  E: '\\',
  '\\': '\\',
  '.': '.',
  "'": '´',
  '`': '`',
  _: '_',
};

const ACCENTS: Record<string, string> = {
  '`': '\u0300',
  "'": '\u0301',
  '^': '\u0302',
  '~': '\u0303',
  ':': '\u0308',
  ',': '\u0327',
  o: '\u030a',
};

/** Strings that macro packages define. */
const STRINGS: Record<string, string> = {
  lq: '“',
  rq: '”',
  R: '®',
  Tm: '™',
  Aq: "'",
  '--': '-',
  PI: 'π',
  'L"': '"',
  'R"': '"',
  'C+': 'C++',
  'C`': '"',
  "C'": '"',
  '<=': '≤',
  '>=': '≥',
  Lq: '“',
  Rq: '”',
  ua: '↑',
  aa: '´',
  ga: '`',
  q: '"',
  Pi: 'π',
  Ne: '≠',
  Le: '≤',
  Ge: '≥',
  Lt: '<',
  Gt: '>',
  Pm: '±',
  If: '∞',
  Ba: '|',
  Am: '&',
};

/** Pairs of a name and its character, separated by blanks. */
const SPECIAL: Record<string, string> = Object.fromEntries(
  (
    'aq \' dq " lq “ rq ” oq ‘ cq ’ Bq „ bq ‚ Fo « Fc » fo ‹ fc › em — en – hy - mi − pl + mu × di ÷ eq = +- ± sc § dg † dd ‡ bu • ' +
    'ci ○ sq □ co © rg ® tm ™ de ° fm ′ sd ″ ps ¶ ha ^ ti ~ rs \\ sl / ul _ ru _ rn ‾ ba | br │ or | bv │ bb ¦ lB [ rB ] lC { rC } la ⟨ ra ⟩ at @ ' +
    'sh # Do $ Eu € eu € Po £ Ye ¥ ct ¢ Cs ¤ % % <- ← -> → <> ↔ ua ↑ da ↓ va ↕ lA ⇐ rA ⇒ hA ⇔ uA ⇑ dA ⇓ <= ≤ >= ≥ != ≠ ~~ ≈ ~= ≈ =~ ≅ == ≡ ' +
    'ap ∼ no ¬ mo ∈ nm ∉ sb ⊂ sp ⊃ ca ∩ cu ∪ if ∞ is ∫ su ∑ sum ∑ pr ∏ sr √ sqrt √ gr ∇ pd ∂ fa ∀ te ∃ es ∅ ** ∗ c* ⊗ c+ ⊕ pp ⊥ md ⋅ pc · ' +
    'OK ✓ CR ↵ lh ☜ rh ☞ lz ◊ S1 ¹ S2 ² S3 ³ 12 ½ 14 ¼ 34 ¾ r! ¡ r? ¿ ss ß AE Æ ae æ OE Œ oe œ /O Ø /o ø oA Å oa å -D Ð Sd ð TP Þ Tp þ ' +
    '*A Α *B Β *G Γ *D Δ *E Ε *Z Ζ *Y Η *H Θ *I Ι *K Κ *L Λ *M Μ *N Ν *C Ξ *O Ο *P Π *R Ρ *S Σ *T Τ *U Υ *F Φ *X Χ *Q Ψ *W Ω ' +
    '*a α *b β *g γ *d δ *e ε *z ζ *y η *h θ *i ι *k κ *l λ *m μ *n ν *c ξ *o ο *p π *r ρ *s σ ts ς *t τ *u υ *f ϕ *x χ *q ψ *w ω +f φ +p ϖ +h ϑ +e ϵ ' +
    'a- ¯ aa ´ ga ` ad ¨ ac ¸ a^ ^ a~ ~ ff ff fi fi fl fl Fi ffi Fl ffl IJ IJ ij ij .i ı .j ȷ 3d ∴ tf ∴ an ― Ah ℵ Im ℑ Re ℜ wp ℘ hb ℏ +- ± t+- ± tmu × tdi ÷ ' +
    'vA ⇕ u2026 … lt ⎧ fmt ′ nb ⊄ ne ≢ pt ∝ ge ≥ le ≤ >> ≫ << ≪ bs * CL ♣ SP ♠ HE ♥ DI ♦ /L Ł /l ł vS Š vs š vZ Ž vz ž .Z Ż .z ż'
  )
    .split(' ')
    .reduce<[string, string][]>((pairs, part, index, all) => {
      if (index % 2 === 1) pairs.push([all[index - 1]!, part]);
      return pairs;
    }, []),
);
