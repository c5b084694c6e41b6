import { readFileSync } from 'node:fs'
import { type Discovery, loadEntities, type ResourceFolder } from '#discovery'
import type { Orm } from '#store'
import { withStoredChecks } from './check-constraints.ts'

export interface SchemaChange {
  readonly folder: ResourceFolder
  readonly up: string[]
  readonly down: string[]
}

/** Returns one change per resource folder whose tables differ, in an order in which they can be applied. */
export async function findChanges(orm: Orm, discovery: Discovery): Promise<SchemaChange[]> {
  const changes: SchemaChange[] = []
  const { keys, types } = await existingObjects(orm)
  // Views are created by migrations; entities only read them.
  orm.config.get('schemaGenerator').skipViews = [/^/]
  for (const [folder, tables] of await tablesByFolder(orm, discovery)) {
    if (!folder) continue // tables of plugins, which have no entities
    // Skips all tables except those of this folder.
    const names = tables.map((table) => table.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
    orm.config.get('schemaGenerator').skipTables = [new RegExp(`^(?!(?:.*\\.)?(?:${names})$)`)]
    const { up, down } = await orm.schema.getUpdateSchemaMigrationSQL({ wrap: false })
    const undeclared = new Set([...keys, ...types.filter((name) => !listNativeEnums(orm, tables).includes(name))])
    const declared = withoutUndeclared(withoutTriggers(toStatements(up), toStatements(down)), undeclared)
    const change = await withStoredChecks(orm, declared)
    if (change.up.length > 0) changes.push({ folder, ...change })
  }
  return sortByReferences(changes)
}

async function tablesByFolder(orm: Orm, discovery: Discovery): Promise<Map<ResourceFolder | undefined, string[]>> {
  const targets = orm.schema.getTargetSchema().getTables()
  const current = await orm.em
    .fork()
    .execute<{ name: string }[]>(
      `select tablename as name from pg_tables where schemaname = current_schema() and tablename <> 'migrations'`,
    )
  const views = new Set(listViews(orm))
  const tables = new Set([...targets, ...current].map(({ name }) => name).filter((name) => !views.has(name)))
  const claims = await Promise.all(discovery.folders.map((folder) => readClaims(orm, discovery, folder)))
  return Map.groupBy(tables, (table) => findOwner(claims, table))
}

/** Tables and views that entities only read. */
function listViews(orm: Orm): string[] {
  return [...orm.getMetadata().getAll().values()].flatMap(({ view, tableName }) => (view ? tableName : []))
}

interface Claims {
  readonly folder: ResourceFolder
  readonly entityTables: readonly string[]
  readonly pivotTables: readonly string[]
  readonly migrations: string
}

async function readClaims(orm: Orm, discovery: Discovery, folder: ResourceFolder): Promise<Claims> {
  const entities = await loadEntities({ ...discovery, folders: [folder] })
  const metas = entities.map((entity) => orm.getMetadata(entity as new () => object))
  return {
    folder,
    entityTables: metas.map(({ tableName }) => tableName),
    pivotTables: metas.flatMap(({ relations }) =>
      relations.flatMap(({ owner, pivotTable }) => (owner && pivotTable) || []),
    ),
    // A baseline also creates tables without an entity, which stay as they are.
    migrations: folder.migrations
      .filter((file) => !file.includes('_baseline_'))
      .map((file) => readFileSync(file, 'utf8'))
      .join(),
  }
}

/**
 * A join table belongs to the owning side; a table without an entity to the folder whose migration creates it. Undefined
 * for the table of a plugin.
 */
function findOwner(claims: readonly Claims[], table: string): ResourceFolder | undefined {
  const owner =
    claims.find(({ entityTables }) => entityTables.includes(table)) ??
    claims.find(({ pivotTables }) => pivotTables.includes(table)) ??
    claims.find(({ migrations }) => migrations.includes(`create table "${table}"`))
  return owner?.folder
}

/** Splits SQL at semicolons at the end of a line that are not inside a quoted text. */
function toStatements(sql: string): string[] {
  const statements: string[] = []
  let open = ''
  for (const line of sql.split('\n')) {
    open = open ? `${open}\n${line}` : line
    const isWhole = open.endsWith(';') && open.split(`'`).length % 2 === 1
    if (isWhole) statements.push(open.slice(0, -1))
    if (isWhole || open.trim() === '') open = ''
  }
  return open ? [...statements, open] : statements
}

/** Removes triggers, functions and procedures: entities do not contain them, so the generator would drop and create them. */
function withoutTriggers(all: string[], down: string[]): Pick<SchemaChange, 'up' | 'down'> {
  const up = all.filter((statement) => !/^drop (?:function|procedure) /.test(statement))
  const isKept = (statement: string) => {
    const [, name] = /^create (?:or replace (?:function|procedure)|trigger) ("[^"]+")/.exec(statement) ?? []
    return !name || up.some((other) => other.includes(name))
  }
  return { up, down: down.filter(isKept) }
}

/** Native enums of the columns of these tables. */
function listNativeEnums(orm: Orm, tables: readonly string[]): string[] {
  const metas = [...orm.getMetadata().getAll().values()].filter(({ tableName }) => tables.includes(tableName))
  return metas.flatMap(({ props }) => props.flatMap(({ nativeEnumName }) => nativeEnumName ?? []))
}

interface ExistingObjects {
  /**
   * Constraints that entities cannot declare: exclusions; primary keys that are deferrable or include columns; foreign keys over
   * columns that an entity maps without a relation, to a table that an entity only reads, or with `on delete set null (column)`;
   * the second foreign key of a column.
   */
  readonly keys: readonly string[]
  readonly types: readonly string[]
}

/** Objects of the database that the generator would drop, because the entities of a folder do not declare them. */
async function existingObjects(orm: Orm): Promise<ExistingObjects> {
  type Key = {
    name: string
    kind: string
    table: string
    columns: string[]
    target: string | null
    isUndeclared: boolean
  }
  const keys = await orm.em.fork().execute<Key[]>(`
    select c.conname as name, c.contype as kind, t.relname as "table", r.relname as target,
      to_json(array(select a.attname from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any(c.conkey))) as columns,
      case c.contype when 'x' then true when 'f' then c.confdelsetcols is not null else c.condeferrable or exists (
        select from pg_index x where x.indexrelid = c.conindid and x.indnatts > x.indnkeyatts) end as "isUndeclared"
    from pg_constraint c join pg_class t on t.oid = c.conrelid left join pg_class r on r.oid = c.confrelid
    where c.contype in ('f', 'x', 'p') and c.connamespace = current_schema()::regnamespace`)
  const types = await orm.em
    .fork()
    .execute<{ name: string }[]>(
      `select typname as name from pg_type where typtype = 'e' and typnamespace = current_schema()::regnamespace`,
    )
  const metas = [...orm.getMetadata().getAll().values()]
  const isScalar = (table: string, column: string) =>
    metas.some(({ tableName, props }) =>
      props.some(
        ({ kind, persist, fieldNames }) =>
          tableName === table && kind === 'scalar' && persist !== false && fieldNames?.includes(column),
      ),
    )
  const declared = new Set(
    metas.flatMap(({ relations }) => relations.flatMap(({ foreignKeyName }) => foreignKeyName ?? [])),
  )
  /** Whether the entity declares another foreign key of the same columns. */
  const isSecond = ({ name, table, columns }: Key) =>
    !declared.has(name) &&
    keys.some((key) => declared.has(key.name) && key.table === table && key.columns.join() === columns.join())
  const views = listViews(orm)
  const undeclared = keys.filter((key) => {
    const { kind, table, columns, target, isUndeclared } = key
    const isUnmapped = () => views.includes(target ?? '') || columns.some((column) => isScalar(table, column))
    return isUndeclared || (kind === 'f' && (isUnmapped() || isSecond(key)))
  })
  const names = undeclared.map(({ name, kind, table }) => (kind === 'p' ? [name, primaryKeyOf(table)] : [name]))
  return { keys: names.flat(), types: types.map(({ name }) => name) }
}

/** Removes statements that drop or create these objects. */
function withoutUndeclared({ up, down }: Pick<SchemaChange, 'up' | 'down'>, undeclared: ReadonlySet<string>) {
  const isKept = (statement: string) => {
    const [, name] =
      /^(?:alter table .+? (?:drop|add) constraint|(?:drop|create) type)(?: if exists)? "([^"]+)"/.exec(statement) ?? []
    const [, table] = /^alter table "([^"]+)" add primary key /.exec(statement) ?? []
    return !undeclared.has(name ?? primaryKeyOf(table ?? ''))
  }
  return { up: up.filter(isKept), down: down.filter(isKept) }
}

/** MikroORM adds a primary key without its name. */
function primaryKeyOf(table: string): string {
  return `primary key of ${table}`
}

/** Sorts changes by references to new tables. Circular references move to the last change. */
function sortByReferences(changes: readonly SchemaChange[]): SchemaChange[] {
  const waiting = [...changes]
  const ordered: SchemaChange[] = []
  const late: string[] = []
  while (waiting.length > 0) {
    const isEarly = (statement: string) => waiting.some((other) => refersTo(statement, other))
    const ready = waiting.findIndex(
      (change) => !change.up.some((statement) => isEarly(statement) && !refersTo(statement, change)),
    )
    const [next] = waiting.splice(Math.max(ready, 0), 1) as [SchemaChange]
    late.push(...next.up.filter((statement) => isEarly(statement) && !refersTo(statement, next)))
    ordered.push({ ...next, up: next.up.filter((statement) => !late.includes(statement)) })
  }
  ordered.at(-1)?.up.push(...late)
  return ordered
}

function refersTo(statement: string, { up }: SchemaChange): boolean {
  const target = /references "([^"]+)"/.exec(statement)?.[1]
  return up.some((other) => other.startsWith(`create table "${target}"`))
}
