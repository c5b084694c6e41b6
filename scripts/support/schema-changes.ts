import { readFileSync } from 'node:fs'
import { type Discovery, loadEntities, type ResourceFolder } from '#discovery'
import type { Orm } from '#store'

export interface SchemaChange {
  readonly folder: ResourceFolder
  readonly up: string[]
  readonly down: string[]
}

/** Returns one change per resource folder whose tables differ, in an order in which they can be applied. */
export async function findChanges(orm: Orm, discovery: Discovery): Promise<SchemaChange[]> {
  const changes: SchemaChange[] = []
  for (const [folder, tables] of await tablesByFolder(orm, discovery)) {
    if (!folder) continue // tables of plugins, which have no entities
    // Skips all tables except those of this folder.
    orm.config.get('schemaGenerator').skipTables = [new RegExp(`^(?!(?:.*\\.)?(?:${tables.join('|')})$)`)]
    const { up, down } = await orm.schema.getUpdateSchemaMigrationSQL({ wrap: false })
    if (up.trim()) changes.push({ folder, ...withoutTriggers(toStatements(up), toStatements(down)) })
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
  const tables = new Set([...targets, ...current].map(({ name }) => name))
  const claims = await Promise.all(discovery.folders.map((folder) => readClaims(orm, discovery, folder)))
  return Map.groupBy(tables, (table) => findOwner(claims, table))
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
    migrations: folder.migrations.map((file) => readFileSync(file, 'utf8')).join(),
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

/** Removes triggers and functions from `down`: entities do not contain them, so the generator would create them again. */
function withoutTriggers(up: string[], down: string[]): Pick<SchemaChange, 'up' | 'down'> {
  const isKept = (statement: string) => {
    const [, name] = /^create (?:or replace function|trigger) ("[^"]+")/.exec(statement) ?? []
    return !name || up.some((other) => other.includes(name))
  }
  return { up, down: down.filter(isKept) }
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
