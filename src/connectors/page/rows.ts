/** Reads property values that a page object truncates. */
import { type PageApi, PageApiError } from './api.ts';
import { PropertyItem, type RichText, type WireProperty, type WireUser } from './wire.ts';

/** Maximum references of a property in a page object; the rest needs a separate request. */
const REFERENCES_MAX = 25;

type TruncatedType = 'title' | 'rich_text' | 'people';

/** Returns the properties with all their values. @throws the same errors as `PageApi.get`. */
export async function readWholeProperties(
  api: PageApi,
  pageId: string,
  properties: Record<string, WireProperty> | undefined,
): Promise<Record<string, WireProperty> | undefined> {
  if (properties === undefined) return undefined;
  const whole: Record<string, WireProperty> = { ...properties };
  for (const [name, property] of Object.entries(properties)) {
    const { type, id } = property;
    if ((type !== 'title' && type !== 'rich_text' && type !== 'people') || id === undefined) continue;
    if ((property[type]?.length ?? 0) < REFERENCES_MAX) continue;
    const values = await readValues(api, `pages/${pageId}/properties/${inPath(id)}`, type);
    if (values !== undefined) whole[name] = { ...property, [type]: values };
  }
  return whole;
}

async function readValues(
  api: PageApi,
  path: string,
  type: TruncatedType,
): Promise<(RichText | WireUser)[] | undefined> {
  const values: (RichText | WireUser)[] = [];
  try {
    for await (const { results } of api.pages(path))
      for (const result of results) {
        const value = PropertyItem.parse(result)[type];
        if (value !== undefined) values.push(value);
      }
    return values;
  } catch (error) {
    if (error instanceof PageApiError && error.status < 500 && error.status !== 403) return undefined;
    throw error;
  }
}

/** Returns an id as a path segment. Ids of properties are usually already encoded. */
function inPath(id: string): string {
  return /^(?:[\w.~!*'()@:;-]|%[0-9a-f]{2})+$/i.test(id) ? id : encodeURIComponent(id);
}
