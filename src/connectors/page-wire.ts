/** What the page API sends, as far as it is read. Members may be missing: every reader has a default for each. */

export interface WireList {
  results: unknown[];
  has_more: boolean;
  next_cursor: string | null;
  request_status?: { type?: string };
}

export interface WireUser {
  id?: string;
  name?: string | null;
}

export interface RichText {
  type?: string;
  plain_text?: string;
  href?: string | null;
  annotations?: { bold?: boolean; italic?: boolean; strikethrough?: boolean; code?: boolean };
  mention?: { type?: string; date?: WireDate | null };
  equation?: { expression?: string };
}

export interface WireDate {
  start?: string;
  end?: string | null;
}

/** A file of the workspace itself (`file`, an address that expires) or of somebody else (`external`). */
export interface WireFile {
  type?: string;
  name?: string;
  file?: { url?: string };
  external?: { url?: string };
}

/** The member of a block that is named as its type; the union of what the types have. */
export interface BlockContent extends WireFile {
  rich_text?: RichText[];
  caption?: RichText[];
  title?: string | RichText[];
  checked?: boolean;
  language?: string;
  expression?: string;
  url?: string;
  cells?: RichText[][];
  has_column_header?: boolean;
  list_start_index?: number;
  icon?: { type?: string; emoji?: string } | null;
  synced_from?: { block_id?: string } | null;
  page_id?: string;
  database_id?: string;
  block_type?: string;
  children?: { summary_block_id?: string; notes_block_id?: string; transcript_block_id?: string };
}

interface Dated {
  created_time?: string;
  last_edited_time?: string;
  created_by?: WireUser;
  last_edited_by?: WireUser;
  in_trash?: boolean;
  archived?: boolean;
}

export interface WireBlock extends Dated {
  id: string;
  type: string;
  has_children?: boolean;
  content: BlockContent;
}

/** A block with what is in it. */
export interface PageBlock extends WireBlock {
  children: PageBlock[];
  /** The workspace did not give what is in it. */
  unreadable: boolean;
}

export interface WirePage extends Dated {
  object?: string;
  id: string;
  url?: string;
  properties?: Record<string, WireProperty>;
}

export interface WireDatabase extends Dated {
  id: string;
  title?: RichText[];
  data_sources?: { id?: string; name?: string }[];
}

export interface WireProperty {
  id?: string;
  type?: string;
  title?: RichText[];
  rich_text?: RichText[];
  number?: number | null;
  select?: { name?: string } | null;
  status?: { name?: string } | null;
  multi_select?: { name?: string }[];
  date?: WireDate | null;
  people?: WireUser[];
  files?: WireFile[];
  checkbox?: boolean;
  url?: string | null;
  email?: string | null;
  phone_number?: string | null;
  formula?: {
    type?: string;
    string?: string | null;
    number?: number | null;
    boolean?: boolean | null;
    date?: WireDate;
  };
  relation?: unknown[];
  has_more?: boolean;
  rollup?: { type?: string; number?: number | null; date?: WireDate | null; array?: WireProperty[] };
  created_time?: string;
  created_by?: WireUser;
  last_edited_time?: string;
  last_edited_by?: WireUser;
  unique_id?: { prefix?: string | null; number?: number | null };
  verification?: { state?: string } | null;
  place?: { name?: string | null; address?: string | null } | null;
}

export function isTrashed(object: Dated): boolean {
  return object.in_trash === true || object.archived === true;
}

export function plainText(items: readonly RichText[] | undefined): string {
  return Array.isArray(items) ? items.map((item) => item.plain_text ?? '').join('') : '';
}
