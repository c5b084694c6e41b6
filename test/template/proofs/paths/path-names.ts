/** All paths but the reference, which is one process on a PostgreSQL server. */
export const pathNames = ['embedded', 'pooler', 'workers'] as const
export type PathName = (typeof pathNames)[number]
