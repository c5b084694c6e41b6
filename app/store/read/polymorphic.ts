import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import {
  type Context,
  isOfType,
  linkKey,
  linkTypeKey,
  type Page,
  type Relation,
  type RelationQuery,
  type ResourceType,
  type Row,
  relationSelection,
} from '#kernel/store'
import { quoteIdentifier } from '../sql/columns/column-sql.ts'
import { Compiler, metaOf, propertyOf, rowsOf } from '../sql/compiler.ts'
import { checkRowCount, rowBound } from '../sql/row-limit.ts'
import { collectScopes } from '../sql/scopes.ts'
import { orderBy, toPage } from '../sql/select.ts'
import { selectRows } from '../sql/select-rows.ts'
import { unslotted } from '../sql/statement-builder.ts'
import { unitOf } from '../unit.ts'
import { totalsInOrder, totalsText } from './count.ts'
import { mappedOrder, pagesText } from './related-pages.ts'

/** A member of a polymorphic relation: its type and its key as stored. */
interface MemberLink {
  readonly parent: unknown
  readonly type: ResourceType
  readonly key: unknown
}

/** Reads members of several types: one statement per type, and one for the association rows of a to-many. */
export async function readPolymorphic(
  relation: Relation,
  parents: readonly Row[],
  query: RelationQuery,
  context: Context,
): Promise<Page[]> {
  const { owner } = relation
  const totals = query.count ? await countPolymorphic(relation, parents, context) : []
  const withTotal = (page: Page, index: number) => (query.count ? { ...page, total: totals[index] as number } : page)
  if (query.window?.limit === 0) return parents.map((_, index) => withTotal({ records: [], hasMore: false }, index))
  const links = relation.toMany
    ? await readAssociationRows(relation, parents, query, context)
    : linksInParents(relation, parents, context)
  const members = await readMembers(links, query, context)
  const linksByParent = Map.groupBy(links, ({ parent }) => String(parent))
  return parents.map((parent, index) => {
    const typeOf = new Map<Row, ResourceType>()
    for (const { type, key } of linksByParent.get(String(parent[owner.id.property])) ?? []) {
      const record = members.get(type)?.get(String(key))
      if (record) typeOf.set(record, type)
    }
    const page = toPage([...typeOf.keys()], query.window)
    const types = page.records.map((record) => typeOf.get(record) as ResourceType)
    return withTotal({ ...page, types }, index)
  })
}

type Members = Map<ResourceType, Map<string, Row>>

async function readMembers(links: readonly MemberLink[], query: RelationQuery, context: Context): Promise<Members> {
  const members: Members = new Map()
  const { where } = query
  for (const [type, linksOfType] of Map.groupBy(links, (link) => link.type)) {
    const keys = new Set(linksOfType.map(({ key }) => key))
    const records = await selectRows(type, [...keys], relationSelection(query, type), context, { where })
    const recordsOfType = records.filter((record) => isOfType(record, type))
    members.set(type, new Map(recordsOfType.map((record) => [String(record[type.id.property]), record])))
  }
  return members
}

/** The members of a to-one, whose discriminator and key are columns of the parent. */
function linksInParents(relation: Relation, parents: readonly Row[], context: Context): MemberLink[] {
  const { owner, property } = relation
  const reference = propertyOf(metaOf(owner, unitOf(context).orm), property as string)
  return parents.flatMap((parent) => {
    const types = findTypes(parent[linkTypeKey(relation)], reference, relation)
    return types.map((type) => ({ parent: parent[owner.id.property], type, key: parent[linkKey(relation)] }))
  })
}

/** Reads the visible members of a to-many from the rows of its association entity. */
async function readAssociationRows(
  relation: Relation,
  parents: readonly Row[],
  query: RelationQuery,
  context: Context,
): Promise<MemberLink[]> {
  const rowLimit = rowBound(query.window, query.rowLimit, parents.length)
  const bound = rowLimit && unslotted(rowLimit)
  const rows = await compileAssociation(relation, context)
  const { compiler, association, collection, alias, member, discriminator, key, parentKey } = rows
  const primaryKey = association.primaryKeys.map((name) => ({ key: name, property: name, descending: false }))
  const sql = pagesText(compiler, {
    columns: [`${parentKey} as "parent"`, `${discriminator} as "type"`, `${key} as "key"`],
    from: rows.from(parentKeys(relation, parents)),
    parentKey,
    parentCount: parents.length,
    order: orderBy(compiler, [...mappedOrder(collection), ...primaryKey], rowsOf(association), alias),
    bound,
    window: query.window && unslotted(query.window),
    count: false,
  })
  const found = await compiler.run(sql)
  checkRowCount(found, bound)
  return found.flatMap((row) =>
    findTypes(row.type, member, relation).map((type) => ({ parent: row.parent, type, key: row.key })),
  )
}

/** Counts the distinct members of every parent, of all types. */
async function countPolymorphic(relation: Relation, parents: readonly Row[], context: Context): Promise<number[]> {
  const { compiler, parentKey, discriminator, key, from } = await compileAssociation(relation, context)
  const keys = parentKeys(relation, parents)
  const sql = totalsText(from(keys), parentKey, `count(distinct (${discriminator}, ${key}))`)
  return totalsInOrder(await compiler.run(sql), keys)
}

function parentKeys({ owner }: Relation, parents: readonly Row[]): unknown[] {
  return parents.map((parent) => parent[owner.id.property])
}

/** The association rows of a polymorphic to-many in a statement, and the condition that the member of a row is visible. */
export async function compileAssociation({ owner, property, throughProperty, targets }: Relation, context: Context) {
  const collection = propertyOf(metaOf(owner, unitOf(context).orm), property as string)
  const association = collection.targetMeta as EntityMetadata
  const back = propertyOf(association, collection.mappedBy as string)
  const member = propertyOf(association, throughProperty as string)
  const compiler = new Compiler(unitOf(context), await collectScopes(targets, [], context))
  const alias = compiler.alias()
  const parentKey = compiler.column(rowsOf(association), back.name, alias)
  const [discriminator, key] = member.fieldNames.map((name) => `${alias}.${quoteIdentifier(name)}`) as [string, string]
  const alternatives = targets.map((target) => {
    const inner = compiler.alias()
    const where = [`${compiler.key(target, inner)} = ${key}`, ...compiler.filters(target, inner)].join(' and ')
    const exists = `exists (select 1 from ${compiler.table(target)} ${inner} where ${where})`
    return `(${discriminator} = ${compiler.bind(findDiscriminator(target, member))} and ${exists})`
  })
  const visible = `(${alternatives.join(' or ')})`
  const from = (keys: readonly unknown[]) =>
    `${compiler.table(rowsOf(association))} ${alias} where ${parentKey} = any(${compiler.bind(keys)}) and ${visible}`
  return { compiler, alias, collection, association, back, member, parentKey, discriminator, key, visible, from }
}

/** The numeric property that orders association rows. Null if the collection is not ordered by one. */
export function positionProperty(collection: EntityProperty, association: EntityMetadata): string | null {
  const [first] = mappedOrder(collection)
  const property = first && propertyOf(association, first.property)
  return property?.runtimeType === 'number' && !first?.descending && !property.primary ? property.name : null
}

/** The types of a discriminator. Several if types of the relation share an entity: then `typeOf` selects by row. */
function findTypes(discriminator: unknown, { discriminatorMap = {} }: EntityProperty, { targets }: Relation) {
  const entity: unknown = discriminatorMap[discriminator as never]
  return targets.filter((target) => target.entity === entity)
}

export function findDiscriminator(target: ResourceType, { discriminatorMap = {} }: EntityProperty): string | undefined {
  return Object.entries(discriminatorMap).find(([, entity]) => (entity as unknown) === target.entity)?.[0]
}
