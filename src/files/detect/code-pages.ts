/** Maps the numbers of Windows code pages to labels of TextDecoder. */

const LABELS: Record<number, string> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  21866: 'koi8-u',
  20932: 'euc-jp',
  28592: 'iso-8859-2',
  28595: 'iso-8859-5',
  28597: 'iso-8859-7',
  28605: 'iso-8859-15',
  50220: 'iso-2022-jp',
  51932: 'euc-jp',
  51949: 'euc-kr',
  54936: 'gb18030',
  65001: 'utf-8',
};

/** Returns the label of a code page, or undefined for one that is not known. */
export function codePageEncoding(codePage: number): string | undefined {
  return codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : LABELS[codePage];
}
