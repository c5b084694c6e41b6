import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { App, Relation, ResourceType, Server } from '#kernel/plugin'
import { namedRoutes, routeName } from '#routes'
import type { Orm } from '#store'
import { readStatement, type StatementShape } from './read-statement.ts'

/**
 * Returns a function that maps a statement to the routes that send it, such as `GET /albums`, and to the includes that
 * load its rows. Its result is empty if no resource type sends the statement.
 */
export function createRouteFinder(app: App, orm: Orm): (sql: string) => string[] {
  const types = app.servers.flatMap((server) => listServedTypes(server, orm))
  const relations = types.flatMap((owner) => owner.type.relations.map((relation) => toSource(owner, relation, orm)))
  const isKey = (table: string, column: string) =>
    types.some(({ meta, keyColumn }) => meta.tableName === table && keyColumn === column)
  const paths = new Map(namedRoutes(app).map(({ name, methods, path }) => [name, `${methods[0]} ${path}`]))

  const ofTypes = (table: string, actions: readonly string[]) =>
    types
      .filter(({ meta }) => meta.tableName === table)
      .flatMap(({ server, type }) => actions.flatMap((action) => paths.get(routeName(server, type.name, action)) ?? []))
  const ofRelations = (matching: readonly RelationSource[], actions: readonly string[]) =>
    matching.flatMap(({ server, owner, relation }) =>
      actions.flatMap((action) => paths.get(routeName(server, owner.name, relation.name, action)) ?? []),
    )

  return (sql) => {
    const shape = readStatement(sql, isKey)
    if (!shape) return []
    const read = relations.filter((source) => isReadBy(source, shape))
    const joined = relations.filter(({ joinTable }) => joinTable === shape.table)
    // The first condition of a collection may be one of a scope or a filter.
    const kind = shape.kind === 'members' && read.length === 0 ? 'collection' : shape.kind
    const found = [
      ...ofTypes(shape.table, typeActions[kind] ?? []),
      ...ofRelations(read, ['related', 'relationship']),
      ...(kind === 'page' ? [] : read.map(toInclude)),
      ...ofRelations(joined, joinActions[kind] ?? []),
    ]
    return [...new Set(found)]
  }
}

function toInclude({ server, owner, relation }: RelationSource): string {
  return `include=${relation.name} of ${server.prefix}/${owner.uriType}`
}

/** The last parts of the names of routes, by the shape of a statement. */
const typeActions: Partial<Readonly<Record<StatementShape['kind'], readonly string[]>>> = {
  insert: ['create'],
  update: ['update'],
  delete: ['delete'],
  lock: ['update', 'delete'],
  one: ['show'],
  collection: ['index'],
}

/** Of relations whose members are rows of a join table. */
const joinActions: Partial<Readonly<Record<StatementShape['kind'], readonly string[]>>> = {
  insert: ['relationship.add', 'relationship.update'],
  delete: ['relationship.remove', 'relationship.update'],
}

interface ServedType {
  readonly server: Server
  readonly type: ResourceType
  readonly meta: EntityMetadata
  readonly keyColumn: string
}

/** Skips types without a table. */
function listServedTypes(server: Server, orm: Orm): ServedType[] {
  return [...server.types.values()]
    .filter(({ isStandalone }) => !isStandalone)
    .map((type) => ({
      server,
      type,
      meta: orm.getMetadata().get(type.entity) as EntityMetadata,
      keyColumn: type.shape.properties.get(type.shape.key)?.column ?? type.shape.key,
    }))
}

/** A relation with the tables and the column by which its members are read. */
interface RelationSource {
  readonly server: Server
  readonly owner: ResourceType
  readonly relation: Relation
  /** The tables of the members; several only for a polymorphic relation. */
  readonly tables: readonly string[]
  readonly joinTable: string | null
  /** The foreign key to the owner in the members or the join table; null for a to-one, which is read by its key. */
  readonly column: string | null
}

function toSource({ server, type, meta }: ServedType, relation: Relation, orm: Orm): RelationSource {
  const metadata = orm.getMetadata()
  const members = relation.targets.flatMap((target) => (target.isStandalone ? [] : metadata.get(target.entity)))
  const property = findProperty(meta, relation.property)
  const inverse = findProperty(members[0], property?.mappedBy)
  const joinTable = relation.pivotEntity ? metadata.get(relation.pivotEntity).tableName : (property?.pivotTable ?? null)
  return {
    server,
    owner: type,
    relation,
    tables: members.map(({ tableName }) => tableName),
    joinTable,
    column: (joinTable ? property?.joinColumns?.[0] : inverse?.fieldNames?.[0]) ?? null,
  }
}

function findProperty(meta: EntityMetadata | undefined, name: string | null | undefined): EntityProperty | undefined {
  return meta?.props.find((property) => property.name === name)
}

function isReadBy({ tables, joinTable, column }: RelationSource, shape: StatementShape): boolean {
  if (!tables.includes(shape.table)) return false
  if (shape.kind === 'keys') return column === null && joinTable === null
  if (shape.kind !== 'members' && shape.kind !== 'page') return false
  const isFromJoin = shape.parentTable !== shape.table
  return isFromJoin
    ? joinTable === shape.parentTable && (column ?? shape.column) === shape.column
    : column === shape.column
}
