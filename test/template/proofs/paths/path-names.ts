/** All paths but the reference, which uses the fast path and the statement cache on a PostgreSQL server. */
export const pathNames = ['regular-path', 'no-statement-cache', 'embedded', 'pooler', 'workers'] as const
export type PathName = (typeof pathNames)[number]
