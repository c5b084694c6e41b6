import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Database } from '../connection/types.ts'
import { isInlined } from '../sql/columns/embedded.ts'

/**
 * Compares the columns of the entities with the database by one statement on its catalogue. Returns `albums.subtitle` for
 * a missing column, and `albums` for a missing table or view.
 */
export async function missingColumns({ orm }: Pick<Database, 'orm'>): Promise<string[]> {
  const mapped = mappedColumns([...orm.getMetadata().getAll().values()])
  if (mapped.size === 0) return []
  const rows = await orm.em.fork().execute<{ table: string; columns: string[] }[]>(selectColumns([...mapped.keys()]))
  const present = new Map(rows.map(({ table, columns }) => [table, new Set(columns)]))
  return [...mapped].flatMap(([table, columns]) => {
    const found = present.get(table)
    if (!found) return [table]
    return [...columns].filter((column) => !found.has(column)).map((column) => `${table}.${column}`)
  })
}

/** The columns of each table that has an entity, or joins two entities. */
function mappedColumns(metas: readonly EntityMetadata[]): Map<string, Set<string>> {
  const tables = metas.filter((meta) => meta.tableName && !meta.virtual && !meta.embeddable)
  const byTable = Map.groupBy(tables, ({ tableName }) => tableName)
  return new Map(
    [...byTable].map(([table, sharing]) => {
      const properties = sharing.flatMap(({ props }) => props).filter(isColumn)
      return [table, new Set(properties.flatMap(({ fieldNames }) => fieldNames))]
    }),
  )
}

function isColumn(property: EntityProperty): boolean {
  const { kind, owner, persist, formula, fieldNames } = property
  if (persist === false || formula || !fieldNames || isInlined(property)) return false
  return kind === 'scalar' || kind === 'embedded' || kind === 'm:1' || (kind === '1:1' && owner === true)
}

/** Finds tables by the search path, as all other statements do. */
function selectColumns(tables: readonly string[]): string {
  const names = tables.map((table) => `'${table.replaceAll("'", "''")}'`)
  return `select c.relname as "table", to_json(array_agg(a.attname)) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relname in (${names.join(', ')}) and pg_table_is_visible(c.oid) group by c.relname`
}
