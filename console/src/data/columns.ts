/** Metadata columns. */
import type { Operations } from '../../../src/client/api.ts';

export type MetadataColumn = Operations['listMetadataColumns']['response']['metadata_columns'][number];
export const COLUMNS = 'metadata-columns';
