/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
