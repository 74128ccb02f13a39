/** Types of the columns of tables. */
export const COLUMN_TYPES = ['boolean', 'integer', 'decimal', 'double', 'date', 'datetime', 'time', 'text'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];
