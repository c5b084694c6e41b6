import type { Orm } from '#store'

/** Indexes, foreign keys and columns of the database, from its system catalogue. */
export interface Catalog {
  readonly indexes: readonly Index[]
  readonly uniqueIndexes: readonly UniqueIndex[]
  readonly foreignKeys: readonly ForeignKey[]
  /** The type category of a column by `table.column`: `A` for arrays, `B` for booleans. */
  readonly categories: ReadonlyMap<string, string>
  /** Text columns of unlimited length, which a B-tree index cannot hold. */
  readonly unboundedTexts: ReadonlySet<string>
  /** Whether the extension pg_trgm is installed. */
  readonly hasTrigrams: boolean
}

export interface Index {
  readonly table: string
  readonly method: string
  /** Columns and expressions, as PostgreSQL prints them. */
  readonly keys: readonly string[]
  /** The operator class of the first key. */
  readonly operators: string
}

/** A unique index, partial ones included; primary keys are not. */
export interface UniqueIndex {
  readonly table: string
  readonly name: string
  readonly keys: readonly string[]
  /** The condition of a partial index; null for an index of all rows. */
  readonly predicate: string | null
  readonly isConstraint: boolean
}

export interface ForeignKey {
  readonly table: string
  readonly columns: readonly string[]
}

/** Skips partial indexes, which not every query can use. */
const indexes = `
  select t.relname as "table", m.amname as method, o.opcname as operators,
    to_json(array(select pg_get_indexdef(x.indexrelid, n, true) from generate_series(1, x.indnkeyatts) n order by n)) as keys
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    join pg_am m on m.oid = i.relam join pg_opclass o on o.oid = x.indclass[0]
  where x.indisvalid and x.indpred is null and t.relnamespace = current_schema()::regnamespace`

const uniqueIndexes = `
  select t.relname as "table", i.relname as name, pg_get_expr(x.indpred, x.indrelid) as predicate,
    exists (select 1 from pg_constraint c where c.conindid = x.indexrelid and c.contype = 'u') as "isConstraint",
    to_json(array(select pg_get_indexdef(x.indexrelid, n, true) from generate_series(1, x.indnkeyatts) n order by n)) as keys
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
  where x.indisunique and not x.indisprimary and x.indisvalid and t.relnamespace = current_schema()::regnamespace
  order by 1, 2`

const foreignKeys = `
  select t.relname as "table", to_json(array(
    select a.attname from unnest(c.conkey) with ordinality k (number, position)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number order by k.position)) as columns
  from pg_constraint c join pg_class t on t.oid = c.conrelid
  where c.contype = 'f' and t.relnamespace = current_schema()::regnamespace order by 1, c.conname`

const categories = `
  select t.relname || '.' || a.attname as name, y.typcategory::text as category,
    y.typname in ('text', 'varchar') and a.atttypmod < 0 as "isUnbounded"
  from pg_attribute a join pg_class t on t.oid = a.attrelid join pg_type y on y.oid = a.atttypid
  where t.relkind = 'r' and a.attnum > 0 and t.relnamespace = current_schema()::regnamespace`

const trigrams = `select 1 from pg_available_extensions where name = 'pg_trgm'`

export async function readCatalog({ em }: Orm): Promise<Catalog> {
  const rows = <Row>(sql: string) => em.fork().execute<Row[]>(sql)
  const kinds = await rows<{ name: string; category: string; isUnbounded: boolean }>(categories)
  return {
    indexes: await rows<Index>(indexes),
    uniqueIndexes: await rows<UniqueIndex>(uniqueIndexes),
    foreignKeys: await rows<ForeignKey>(foreignKeys),
    categories: new Map(kinds.map(({ name, category }) => [name, category])),
    unboundedTexts: new Set(kinds.flatMap(({ name, isUnbounded }) => (isUnbounded ? name : []))),
    hasTrigrams: (await rows(trigrams)).length > 0,
  }
}
