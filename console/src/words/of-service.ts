/** Returns what puts English texts of the service into another language. A text that the catalogue lacks stays as it is. */
export function inLanguage(catalogue: Readonly<Record<string, string>>): (text: string) => string {
  return (text) => {
    const numbers = text.match(/\d+/g) ?? [];
    const key = text.replaceAll(/\d+/g, '#');
    return Object.hasOwn(catalogue, key) ? catalogue[key]!.replaceAll('#', () => numbers.shift() ?? '') : text;
  };
}
