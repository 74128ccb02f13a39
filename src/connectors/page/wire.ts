/**
 * Schemas of the members of page API responses that the connector reads. Missing, null or wrongly typed members are dropped, so
 * no content of a page can end a run.
 */
import { z } from 'zod';

const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);
const text = lenient(z.string());
const flag = lenient(z.boolean());
const number = lenient(z.number());
/** A malformed element becomes an empty one. */
const listOf = <Shape extends z.ZodRawShape>(shape: z.ZodObject<Shape>) => lenient(z.array(shape.catch({} as never)));

const Dates = z.object({ start: text, end: text });
const User = z.object({ id: text, name: text });
const Named = z.object({ name: text });

const RichTextSchema = z.object({
  type: text,
  plain_text: text,
  href: text,
  annotations: lenient(z.object({ bold: flag, italic: flag, strikethrough: flag, code: flag })),
  mention: lenient(z.object({ date: lenient(Dates), link_mention: lenient(z.object({ title: text })) })),
  equation: lenient(z.object({ expression: text })),
});

const FileShape = {
  type: text,
  name: text,
  file: lenient(z.object({ url: text })),
  external: lenient(z.object({ url: text })),
};

const BlockContentSchema = z.object({
  ...FileShape,
  rich_text: listOf(RichTextSchema),
  caption: listOf(RichTextSchema),
  title: lenient(z.union([z.string(), z.array(RichTextSchema.catch({}))])),
  checked: flag,
  language: text,
  expression: text,
  url: text,
  cells: lenient(z.array(z.array(RichTextSchema.catch({})).catch([]))),
  has_column_header: flag,
  list_start_index: number,
  icon: lenient(z.object({ emoji: text })),
  synced_from: lenient(z.object({ block_id: text })),
  page_id: text,
  database_id: text,
  block_type: text,
  children: lenient(z.object({ summary_block_id: text, notes_block_id: text, transcript_block_id: text })),
});

const Dated = {
  created_time: text,
  last_edited_time: text,
  created_by: lenient(User),
  last_edited_by: lenient(User),
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
  select: lenient(Named),
  status: lenient(Named),
  multi_select: listOf(Named),
  date: lenient(Dates),
  people: listOf(User),
  files: listOf(z.object(FileShape)),
  checkbox: flag,
  url: text,
  email: text,
  phone_number: text,
  formula: lenient(z.object({ type: text, string: text, number, boolean: flag, date: lenient(Dates) })),
  rollup: lenient(
    z.object({
      type: text,
      number,
      date: lenient(Dates),
      /** Elements are properties like this one. */
      array: lenient(z.array(z.unknown())),
    }),
  ),
  created_time: text,
  created_by: lenient(User),
  last_edited_time: text,
  last_edited_by: lenient(User),
  unique_id: lenient(z.object({ prefix: text, number })),
  verification: lenient(z.object({ state: text })),
  place: lenient(z.object({ name: text, address: text })),
});

export const Property = PropertySchema.catch({});
const Properties = z.record(z.string(), Property);

const Parent = lenient(z.object({ page_id: text, database_id: text, data_source_id: text, block_id: text }));

/** Pages, and the data sources in the list of a wiki. */
export const Page = z.object({
  ...Dated,
  id: z.string(),
  object: text,
  url: text,
  parent: Parent,
  properties: lenient(Properties),
});

export const Database = z.object({
  ...Dated,
  id: z.string(),
  parent: Parent,
  title: listOf(RichTextSchema),
  data_sources: lenient(z.array(z.object({ id: z.string(), name: text }))),
});

export const UserName = User.catch({});

/** An element of a property that is read by a separate request. */
export const PropertyItem = z
  .object({ title: lenient(RichTextSchema), rich_text: lenient(RichTextSchema), people: lenient(User) })
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
/** A file of the workspace itself (`file`, an expiring address) or of another server (`external`). */
export type WireFile = Pick<BlockContent, 'type' | 'name' | 'file' | 'external'>;
/** The member of a block named like its type; the union of the members of all types. */
export type BlockContent = z.infer<typeof BlockContentSchema>;
export type WireBlock = z.infer<typeof BlockSchema> & { content: BlockContent };
export type WirePage = z.infer<typeof Page>;
export type WireDatabase = z.infer<typeof Database>;
export type WireProperty = z.infer<typeof PropertySchema>;

/** A block with its nested blocks. */
export interface PageBlock extends WireBlock {
  children: PageBlock[];
  /** The workspace did not return the nested blocks. */
  unreadable: boolean;
}

/** Parses a block. Returns undefined if the value is not a block. */
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
