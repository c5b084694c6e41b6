import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import {
  type Context,
  isIn,
  linkKey,
  linkTypeKey,
  type Page,
  type Relation,
  type RelationQuery,
  type ResourceType,
  type Row,
  relationSelection,
} from '#kernel/store'
import { Compiler, quote } from '../sql/compiler.ts'
import { checkRows, rowBound } from '../sql/row-limit.ts'
import { resolveScopes } from '../sql/scopes.ts'
import { toPage } from '../sql/select.ts'
import { selectRows } from '../sql/select-rows.ts'
import { run, unitOf } from '../unit.ts'
import { totalsIn, totalsText } from './count-related.ts'
import { pagesText } from './related-pages.ts'

/** A member of a polymorphic relation: its type and its key as stored. */
interface Link {
  readonly parent: unknown
  readonly type: ResourceType
  readonly key: unknown
}

/** Reads members of several types: one statement per type, and one for the pivot table of a to-many. */
export async function readMixed(
  relation: Relation,
  parents: readonly Row[],
  query: RelationQuery,
  context: Context,
): Promise<Page[]> {
  const { owner } = relation
  const totals = query.count ? await countMixed(relation, parents, context) : []
  if (query.window?.limit === 0)
    return parents.map((_, index) => withTotal({ records: [], hasMore: false }, totals[index]))
  const links = relation.toMany
    ? await readAssociation(relation, parents, query, context)
    : ownLinks(relation, parents, context)
  const members = await readMembers(links, query, context)
  return parents.map((parent, index) => {
    const own = links.filter((link) => String(link.parent) === String(parent[owner.id.property]))
    const typeOf = new Map<Row, ResourceType>()
    for (const { type, key } of own) {
      const record = members.get(type)?.get(String(key))
      if (record) typeOf.set(record, type)
    }
    const page = toPage([...typeOf.keys()], query.window)
    const types = page.records.map((record) => typeOf.get(record) as ResourceType)
    return withTotal({ ...page, types }, totals[index])
  })
}

function withTotal(page: Page, total: number | undefined): Page {
  return total === undefined ? page : { ...page, total }
}

type Members = Map<ResourceType, Map<string, Row>>

async function readMembers(links: readonly Link[], query: RelationQuery, context: Context): Promise<Members> {
  const members: Members = new Map()
  for (const type of new Set(links.map((link) => link.type))) {
    const keys = new Set(links.filter((link) => link.type === type).map((link) => link.key))
    const isKey = isIn(type.id.property, [...keys])
    const records = await selectRows(type, isKey, query.where, relationSelection(query, type), context)
    const own = records.filter((record) => isOf(type, record))
    members.set(type, new Map(own.map((record) => [String(record[type.id.property]), record])))
  }
  return members
}

/** The members of a to-one, whose discriminator and key are columns of the parent. */
function ownLinks(relation: Relation, parents: readonly Row[], context: Context): Link[] {
  const { owner, property } = relation
  const prop = propertyOf(context, owner, property as string)
  return parents.flatMap((parent) => {
    const types = typesBehind(parent[linkTypeKey(relation)], prop, relation)
    return types.map((type) => ({ parent: parent[owner.id.property], type, key: parent[linkKey(relation)] }))
  })
}

/** Reads the visible members of a to-many from the rows of its association entity. */
async function readAssociation(
  relation: Relation,
  parents: readonly Row[],
  query: RelationQuery,
  context: Context,
): Promise<Link[]> {
  const bound = rowBound(query, parents.length)
  const association = await startAssociation(relation, parents, context)
  const { compiler, member, discriminator, key, parentKey, from, order } = association
  const columns = [`${parentKey} as "parent"`, `${discriminator} as "type"`, `${key} as "key"`]
  const body = { columns, from, parentKey, order, bound }
  const sql = pagesText(compiler, body, { window: query.window, count: false }, parents.length)
  const rows = await run(sql, compiler.parameters, context)
  checkRows(rows, bound)
  return rows.flatMap(({ parent, type, key: memberKey }) =>
    typesBehind(type, member, relation).map((target) => ({ parent, type: target, key: memberKey })),
  )
}

/** Counts the distinct members of every parent, of all types. */
async function countMixed(relation: Relation, parents: readonly Row[], context: Context): Promise<number[]> {
  const { compiler, parentKey, discriminator, key, from, keys } = await startAssociation(relation, parents, context)
  const sql = totalsText(from, parentKey, `count(distinct (${discriminator}, ${key}))`)
  return totalsIn(await run(sql, compiler.parameters, context), keys)
}

/** Compiles the selection of association rows with the parents and with visible members. */
async function startAssociation(relation: Relation, parents: readonly Row[], context: Context) {
  const mixed = await compileMembers(relation, context)
  const { compiler, association, collection, alias, back, visible } = mixed
  const parentKey = `${alias}.${quote(back.fieldNames[0] as string)}`
  const order = associationOrder(collection, association.primaryKeys)
    .map(([name, direction]) => `${alias}.${quote(columnOf(association, name))} ${direction}`)
    .join(', ')
  const keys = parents.map((parent) => parent[relation.owner.id.property])
  const from = `${quote(association.tableName)} ${alias} where ${parentKey} = any(${compiler.bind(keys)}) and (${visible})`
  return { ...mixed, parentKey, keys, from, order }
}

/** A statement about the association rows of a relation to several types, and which of them lead to visible members. */
export async function compileMembers({ owner, property, through, targets }: Relation, context: Context) {
  const collection = propertyOf(context, owner, property as string)
  const association = collection.targetMeta as EntityMetadata
  const back = association.properties[collection.mappedBy as never] as EntityProperty
  const member = association.properties[through as never] as EntityProperty
  const compiler = new Compiler(unitOf(context), await resolveScopes(targets, [], context))
  const alias = compiler.alias()
  const [discriminator, key] = member.fieldNames.map((name) => `${alias}.${quote(name)}`) as [string, string]
  const visible = targets.map((target) => {
    const inner = compiler.alias()
    const scope = compiler.scope(target, inner)
    const exists = `select 1 from ${compiler.table(target)} ${inner} where ${compiler.key(target, inner)} = ${key}`
    const name = discriminatorOf(target, member)
    return `(${discriminator} = ${compiler.bind(name)} and exists (${exists}${scope ? ` and ${scope}` : ''}))`
  })
  return { compiler, alias, collection, association, back, member, discriminator, key, visible: visible.join(' or ') }
}

/** The numeric property that orders association rows. Null if the collection is not ordered by one. */
export function positionProperty(collection: EntityProperty, association: EntityMetadata): string | null {
  const [first] = associationOrder(collection, [])
  const property = first && (association.properties[first[0] as never] as EntityProperty)
  return property?.runtimeType === 'number' && first?.[1] === 'asc' && !property.primary ? property.name : null
}

/** The order that is mapped on the collection, then the primary key of the association. */
function associationOrder({ orderBy }: EntityProperty, primaryKeys: readonly string[]): [string, string][] {
  const mapped = [orderBy ?? []].flat().flatMap((order) => Object.entries(order)) as [string, unknown][]
  const direction = (value: unknown) => (/^(desc|-1)/i.test(String(value)) ? 'desc' : 'asc')
  return [
    ...mapped.map(([name, value]): [string, string] => [name, direction(value)]),
    ...primaryKeys.map((key): [string, string] => [key, 'asc']),
  ]
}

function columnOf(meta: EntityMetadata, name: string): string {
  return (meta.properties[name as never] as EntityProperty).fieldNames[0] as string
}

/** The types of a discriminator. Several if types of the relation share an entity: then `typeOf` selects by row. */
function typesBehind(discriminator: unknown, { discriminatorMap = {} }: EntityProperty, { targets }: Relation) {
  const entity: unknown = discriminatorMap[discriminator as never]
  return targets.filter((target) => target.entity === entity)
}

function isOf({ name, declaration }: ResourceType, record: Row): boolean {
  return declaration.typeOf === undefined || declaration.typeOf(record as never) === name
}

export function discriminatorOf(target: ResourceType, { discriminatorMap = {} }: EntityProperty): string | undefined {
  return Object.entries(discriminatorMap).find(([, entity]) => (entity as unknown) === target.entity)?.[0]
}

function propertyOf(context: Context, type: ResourceType, name: string): EntityProperty {
  return unitOf(context).orm.getMetadata().get(type.entity).properties[name as never] as EntityProperty
}
