import {
  type Attribute,
  type Context,
  chainEnd,
  countCodePoints,
  escapePointer,
  isObject,
  type PropertyShape,
  type Relation,
  type ResourceType,
} from '#kernel/store'
import { metaOf } from '../sql/compiler.ts'
import { unitOf } from '../unit.ts'

/** A member of a document that is stored in a column. */
export interface WrittenMember {
  readonly name: string
  /** Undefined if the request does not have the member. */
  readonly pointer: string | undefined
}

/** A column of an error. Without a table it is a column of the written resource. */
interface WrittenColumn {
  readonly table: string | undefined
  readonly column: string
  /** The refused value as text. It distinguishes two sent members of one column. */
  readonly value?: string
}

/**
 * The member that is stored in the column: a sent one, if the request has any. Null if there is none, or if it is hidden from
 * the requester.
 */
export function writtenMember(
  { table, column, value }: WrittenColumn,
  type: ResourceType,
  context: Context,
): WrittenMember | null {
  const isStoredIn = (owner: ResourceType, property: string | null) =>
    hasColumn(owner.shape.properties.get(property ?? ''), column) && mayBeInTable(owner, table, context)
  const isHidden = (field: Attribute | Relation) => field.hidden === true || context.query.visibility?.hides(field)
  const relation = type.relations.find((one) => isStoredIn(type, one.property) && !isHidden(one))
  if (relation) return { name: relation.name, pointer: linkagePointer(relation, context) }
  const members = walkSentAttributes(type.attributes, context.sent?.attributes, '/data/attributes')
  const stored = [...members].filter(({ attribute }) => {
    const owner = chainEnd(type, attribute)
    return owner !== null && isStoredIn(owner, attribute.property) && !isHidden(attribute)
  })
  const sent = stored.filter(({ pointer }) => pointer !== undefined)
  const found =
    sent.find((one) => String(one.value) === value) ?? sent[0] ?? stored.find(({ attribute }) => !attribute.on)
  return found ? { name: found.attribute.name, pointer: found.pointer } : null
}

/** The sent attribute whose value is longer or larger than its column holds, for errors that name no column. */
export function unfitMember(type: ResourceType, { sent }: Context): WrittenMember | null {
  for (const { attribute, value, pointer } of walkSentAttributes(
    type.attributes,
    sent?.attributes,
    '/data/attributes',
  )) {
    const { name, property } = attribute
    const column = property === null ? undefined : chainEnd(type, attribute)?.shape.properties.get(property)
    if (column && !fits(value, column)) return { name, pointer }
  }
  return null
}

/**
 * The sent text of a column whose values only the database can check, such as an interval. Null if there are several, because
 * the error does not say which it refuses.
 */
export function malformedMember(type: ResourceType, { sent }: Context): WrittenMember | null {
  const unchecked = [...walkSentAttributes(type.attributes, sent?.attributes, '/data/attributes')].filter(
    ({ attribute: { property }, attribute, value }) => {
      const column = property === null ? undefined : chainEnd(type, attribute)?.shape.properties.get(property)
      return typeof value === 'string' && column !== undefined && column.parse(value) === undefined
    },
  )
  const [only] = unchecked
  return only && unchecked.length === 1 ? { name: only.attribute.name, pointer: only.pointer } : null
}

function fits(value: unknown, { maxLength = Number.POSITIVE_INFINITY, range }: PropertyShape): boolean {
  if (typeof value === 'string') return countCodePoints(value) <= maxLength
  return typeof value !== 'number' || !range || (range[0] <= value && value <= range[1])
}

/** Whether the property has the column: its own, or that of a property of an inline embeddable. */
function hasColumn(property: PropertyShape | undefined, column: string): boolean {
  if (!property || property.column !== undefined) return property?.column === column
  return [...(property.members?.values() ?? [])].some((member) => hasColumn(member, column))
}

export function findColumn(property: string | null, type: ResourceType): string | undefined {
  return property === null ? undefined : type.shape.properties.get(property)?.column
}

/** Whether the rows of a type are in the table. The table of a partition belongs to no entity: then they may be. */
export function mayBeInTable(type: ResourceType, table: string | undefined, context: Context): boolean {
  const { orm } = unitOf(context)
  if (table === undefined || metaOf(type, orm).tableName === table) return true
  return ![...orm.getMetadata()].some(({ tableName }) => tableName === table)
}

function linkagePointer(relation: Relation, { sent }: Context): string | undefined {
  return sent?.linkage.find((linkage) => linkage.relation === relation)?.pointer
}

interface SentAttribute {
  readonly attribute: Attribute
  readonly value: unknown
  readonly pointer: string | undefined
}

/** The attributes with a column, those of a `map()` included. */
function* walkSentAttributes(
  attributes: readonly Attribute[],
  sent: unknown,
  parent: string,
): Generator<SentAttribute> {
  for (const attribute of attributes) {
    const { name, kind, children } = attribute
    const value = isObject(sent) && Object.hasOwn(sent, name) ? sent[name] : undefined
    const pointer = `${parent}/${escapePointer(name)}`
    if (kind === 'map') yield* walkSentAttributes(children, value, pointer)
    else yield { attribute, value, pointer: value === undefined ? undefined : pointer }
  }
}
