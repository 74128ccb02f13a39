/** Property values that a page object cuts off. */
import { type PageApi, PageApiError } from './api.ts';
import { PropertyItem, type RichText, type WireProperty, type WireUser } from './wire.ts';

/** A page object holds so many references of a property; the rest is asked for by itself. */
const REFERENCES_MAX = 25;

type Cut = 'title' | 'rich_text' | 'people';

/** The properties with all their values. @throws as `PageApi.get`. */
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

async function readValues(api: PageApi, path: string, type: Cut): Promise<(RichText | WireUser)[] | undefined> {
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

/** Ids of properties come ready for an address. */
function inPath(id: string): string {
  return /^(?:[\w.~!*'()@:;-]|%[0-9a-f]{2})+$/i.test(id) ? id : encodeURIComponent(id);
}
