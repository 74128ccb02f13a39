/**
 * What the page API sends, as far as it is read. Members that are missing, null or of another type than promised are left out:
 * nothing in a page can end a run.
 */
import { z } from 'zod';

const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);
const text = maybe(z.string());
const flag = maybe(z.boolean());
const number = maybe(z.number());
/** A malformed element is an empty one. */
const listOf = <Shape extends z.ZodRawShape>(shape: z.ZodObject<Shape>) => maybe(z.array(shape.catch({} as never)));

const Dates = z.object({ start: text, end: text });
const User = z.object({ id: text, name: text });
const Named = z.object({ name: text });

const RichTextSchema = z.object({
  type: text,
  plain_text: text,
  href: text,
  annotations: maybe(z.object({ bold: flag, italic: flag, strikethrough: flag, code: flag })),
  mention: maybe(z.object({ date: maybe(Dates) })),
  equation: maybe(z.object({ expression: text })),
});

const FileShape = {
  type: text,
  name: text,
  file: maybe(z.object({ url: text })),
  external: maybe(z.object({ url: text })),
};

const BlockContentSchema = z.object({
  ...FileShape,
  rich_text: listOf(RichTextSchema),
  caption: listOf(RichTextSchema),
  title: maybe(z.union([z.string(), z.array(RichTextSchema.catch({}))])),
  checked: flag,
  language: text,
  expression: text,
  url: text,
  cells: maybe(z.array(z.array(RichTextSchema.catch({})).catch([]))),
  has_column_header: flag,
  list_start_index: number,
  icon: maybe(z.object({ emoji: text })),
  synced_from: maybe(z.object({ block_id: text })),
  page_id: text,
  database_id: text,
  block_type: text,
  children: maybe(z.object({ summary_block_id: text, notes_block_id: text, transcript_block_id: text })),
});

const Dated = {
  created_time: text,
  last_edited_time: text,
  created_by: maybe(User),
  last_edited_by: maybe(User),
  in_trash: flag,
  archived: flag,
};

const BlockSchema = z.object({ ...Dated, id: z.string(), type: z.string(), has_children: flag });

const PropertySchema = z.object({
  id: text,
  type: text,
  title: listOf(RichTextSchema),
  rich_text: listOf(RichTextSchema),
  number,
  select: maybe(Named),
  status: maybe(Named),
  multi_select: listOf(Named),
  date: maybe(Dates),
  people: listOf(User),
  files: listOf(z.object(FileShape)),
  checkbox: flag,
  url: text,
  email: text,
  phone_number: text,
  formula: maybe(z.object({ type: text, string: text, number, boolean: flag, date: maybe(Dates) })),
  rollup: maybe(
    z.object({
      type: text,
      number,
      date: maybe(Dates),
      /** Properties, as this one. */
      array: maybe(z.array(z.unknown())),
    }),
  ),
  created_time: text,
  created_by: maybe(User),
  last_edited_time: text,
  last_edited_by: maybe(User),
  unique_id: maybe(z.object({ prefix: text, number })),
  verification: maybe(z.object({ state: text })),
  place: maybe(z.object({ name: text, address: text })),
});

export const Property = PropertySchema.catch({});
export const Properties = z.record(z.string(), Property);

/** Pages, and the data sources that a wiki lists among them. */
export const Page = z.object({
  ...Dated,
  id: z.string(),
  object: text,
  url: text,
  parent: maybe(z.object({ page_id: text })),
  properties: maybe(Properties),
});

export const Database = z.object({
  ...Dated,
  id: z.string(),
  title: listOf(RichTextSchema),
  data_sources: maybe(z.array(z.object({ id: z.string(), name: text }))),
});

export const UserName = User.catch({});

/** An element of a property that is read by itself. */
export const PropertyItem = z
  .object({ title: maybe(RichTextSchema), rich_text: maybe(RichTextSchema), people: maybe(User) })
  .catch({});

export interface WireList {
  results: unknown[];
  has_more: boolean;
  next_cursor: string | null;
  request_status?: { type?: string };
}

export type RichText = z.infer<typeof RichTextSchema>;
export type WireDate = z.infer<typeof Dates>;
export type WireUser = z.infer<typeof User>;
/** A file of the workspace itself (`file`, an address that expires) or of somebody else (`external`). */
export type WireFile = Pick<BlockContent, 'type' | 'name' | 'file' | 'external'>;
/** The member of a block that is named as its type; the union of what the types have. */
export type BlockContent = z.infer<typeof BlockContentSchema>;
export type WireBlock = z.infer<typeof BlockSchema> & { content: BlockContent };
export type WirePage = z.infer<typeof Page>;
export type WireProperty = z.infer<typeof PropertySchema>;

/** A block with what is in it. */
export interface PageBlock extends WireBlock {
  children: PageBlock[];
  /** The workspace did not give what is in it. */
  unreadable: boolean;
}

/** Undefined for what is no block. */
export function parseBlock(value: unknown): WireBlock | undefined {
  const block = BlockSchema.safeParse(value).data;
  if (block === undefined) return undefined;
  const content = BlockContentSchema.catch({}).parse((value as Record<string, unknown>)[block.type]);
  return { ...block, content };
}

export function isTrashed(object: { in_trash?: boolean | undefined; archived?: boolean | undefined }): boolean {
  return object.in_trash === true || object.archived === true;
}

export function plainText(items: readonly RichText[] | undefined): string {
  return (items ?? []).map((item) => item.plain_text ?? '').join('');
}
