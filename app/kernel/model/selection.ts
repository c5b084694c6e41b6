import { getOrCreate } from '../lib/get-or-create.ts'
import { type Attribute, childrenOf, isOwnerSide, type Relation, type Row } from './field.ts'
import { noProvider } from './no-provider.ts'
import type { Include, Query, RelationQuery } from './query.ts'
import type { ResourceType } from './resource-type.ts'

/** The members a type shows under the fieldsets of a query. */
export interface Shown {
  readonly attributes: readonly Attribute[]
  readonly relations: readonly Relation[]
  /** Those of the relations whose members are named in every answer. */
  readonly named: readonly Relation[]
  /** Those of the attributes that another object holds. */
  readonly chained: readonly Attribute[]
}

const shownOf = new WeakMap<object, Map<ResourceType, Shown>>()

/** Settled once per type and fieldset; a type without one shows the same in every answer. */
export function shownFields(type: ResourceType, query: Shows): Shown {
  const set = fieldsetOf(type, query)
  return shownOf.get(set ?? type)?.get(type) ?? settleShown(type, set)
}

/** What decides which members are shown: the fieldsets, and what the requester may see. */
export type Shows = Pick<Query, 'fields' | 'visibility'>

/** The names of the members that may be shown; null when all may. */
export function fieldsetOf(type: ResourceType, { fields, visibility }: Shows): ReadonlySet<string> | null {
  const set = (fields.size > 0 && fields.get(type.name)) || type.defaultFields
  const hidden = visibility?.hiddenIn(type)
  return hidden && hidden.length > 0 ? without(hidden, set, type) : set
}

const narrowed = new WeakMap<object, Map<string, ReadonlySet<string>>>()

/** One set for all requesters from whom the same is hidden, so that nothing that depends on it is shared with others. */
function without(hidden: readonly string[], set: ReadonlySet<string> | null, type: ResourceType): ReadonlySet<string> {
  const known = getOrCreate(narrowed, set ?? type, () => new Map<string, ReadonlySet<string>>())
  const names = set ?? new Set(type.fields.keys())
  return getOrCreate(
    known,
    `${type.name} ${hidden.join()}`,
    () => new Set([...names].filter((one) => !hidden.includes(one))),
  )
}

function settleShown(type: ResourceType, set: ReadonlySet<string> | null): Shown {
  const shown = shownUnder(type, set)
  getOrCreate(shownOf, set ?? type, () => new Map<ResourceType, Shown>()).set(type, shown)
  return shown
}

function shownUnder(type: ResourceType, set: ReadonlySet<string> | null): Shown {
  const relations = type.relations.filter((field) => field.hidden !== true && (!set || set.has(field.name)))
  const attributes = type.attributes.filter(
    (field) => field.hidden !== true && field.writeOnly !== true && (!set || set.has(field.name)),
  )
  return {
    attributes,
    relations,
    named: relations.filter(({ linkage }) => linkage === 'always'),
    chained: attributes.filter(({ on }) => on),
  }
}

/** The columns to select for a type. */
export interface Selection {
  readonly properties: readonly string[]
  /** Owner-side relations whose key is wanted, each under its `linkKey`. */
  readonly links: readonly Relation[]
  /** Attributes held by another object, each under its `chainKey`. */
  readonly chained: readonly Attribute[]
  /**
   * Dotted paths over to-one properties of the entity (`owner.email`), each under its own name. They are read for
   * plugins, never rendered, and ignore the scopes of the types they pass through.
   */
  readonly paths: readonly string[]
}

/** The type at the end of an attribute's chain of to-one relations; null when the chain cannot be followed. */
export function chainEnd(type: ResourceType, { on }: Attribute): ResourceType | null {
  let end = type
  for (const name of on ?? []) {
    const hop = end.fields.get(name)
    if (hop?.role !== 'relation' || hop.toMany || hop.targets.length !== 1) return null
    end = hop.target
  }
  return end
}

/** Every type a chain passes through. */
export function chainTypes(type: ResourceType, { on }: Attribute): ResourceType[] {
  return (on ?? []).map(
    (_, index) => chainEnd(type, { on: on?.slice(0, index + 1) ?? null } as Attribute) as ResourceType,
  )
}

const hopsOf = new WeakMap<Attribute, readonly Relation[]>()

/**
 * The relations of an attribute's chain up to the last one that does not show every row in scope: a plugin decides row by
 * row, or the relation has a read ability of its own. Empty when there is none.
 */
export function checkedHops(attribute: Attribute, type: ResourceType): readonly Relation[] {
  return getOrCreate(hopsOf, attribute, () => {
    const owners = [type, ...chainTypes(type, attribute)]
    const hops = (attribute.on ?? []).map((name, index) => owners[index]?.fields.get(name) as Relation)
    const last = hops.findLastIndex(({ guarded, target }) => guarded || target.checksEachRow)
    return hops.slice(0, last + 1)
  })
}

/** Where a record holds the value of an attribute that is read through to-one relations. */
export function chainKey({ name }: Attribute): string {
  return `#on:${name}`
}

/** Where a row that was just written says whether it meets the condition for written rows. */
export const withinKey = '#within'

/** Where a row reached through a many-to-many holds a value of its association row. */
export function pivotKey({ name }: Attribute): string {
  return `#pivot:${name}`
}

/** Where it holds a property of its association row that a function reads. */
function pivotRowKey(property: string): string {
  return `#pivotRow:${property}`
}

/** The columns of association rows to read: what may be shown, and what the functions of the fields read. */
export function pivotColumnsOf(relation: Relation): readonly { readonly property: string; readonly key: string }[] {
  return [
    ...relation.pivotFields.map((field) => ({ property: field.property as string, key: pivotKey(field) })),
    ...neededOfPivot(relation).map((property) => ({ property, key: pivotRowKey(property) })),
  ]
}

/** The association row that a row was reached through, as the functions of pivot fields receive it. */
export function pivotRecord(relation: Relation, row: Row): Row {
  return Object.fromEntries(neededOfPivot(relation).map((property) => [property, row[pivotRowKey(property)]]))
}

const pivotNeeds = new WeakMap<Relation, readonly string[]>()

function neededOfPivot(relation: Relation): readonly string[] {
  return getOrCreate(pivotNeeds, relation, ({ pivotFields, pivotShape }) => {
    const rows = { shape: pivotShape } as ResourceType
    return [...new Set(pivotFields.flatMap((field) => neededInside(field, rows)))]
  })
}

/** Where a record says which entity a polymorphic to-one leads to. */
export function linkTypeKey(relation: Relation): string {
  return `#${relation.name}:type`
}

/** Where a record holds the key of a to-one, as far as the requester may see the row behind it. */
export function linkKey(relation: Relation): string {
  return `#${relation.name}`
}

const known = new WeakMap<Shown, Map<string, Selection>>()

/**
 * What is rendered anywhere in the document, and the foreign keys its includes start from. The same for every
 * statement of one query, so that one record can stand for the row everywhere; and settled once for all queries that
 * show the same, need the same, and include by the same keys.
 */
export function selectionOf(query: Query, type: ResourceType): Selection {
  const shown = shownFields(type, query)
  const needs = query.needs.get(type) ?? none
  const keyed: Relation[] = []
  addKeyed(query.include, type, keyed)
  let name = needs.length > 0 ? needs.join() : ''
  for (const relation of keyed) name += `|${relation.name}`
  const alike = getOrCreate(known, shown, () => new Map<string, Selection>())
  return getOrCreate(alike, name, () => selectShown(shown, type, needs, keyed))
}

const none: readonly string[] = []

function selectShown(
  { attributes, relations, chained }: Shown,
  type: ResourceType,
  needs: readonly string[],
  included: readonly Relation[],
): Selection {
  const properties = [
    type.id.property,
    ...attributes.flatMap((attribute) => propertiesOf(attribute, type)),
    ...type.needs,
    ...needs,
    ...(readsRecord(type) || [...relations, ...included].some(isHiddenByRow) ? wholeRow(type) : []),
  ]
  const hops = chained.flatMap((attribute) => checkedHops(attribute, type).slice(0, 1))
  return {
    ...selectNames(properties),
    links: [...new Set([...relations, ...included, ...hops].filter(isOwnerSide))],
    chained,
  }
}

/** Splits names of a row into its own properties and dotted paths, each once. */
export function selectNames(names: readonly string[]): Pick<Selection, 'properties' | 'paths'> {
  const isPath = (name: string) => name.includes('.')
  const distinct = [...new Set(names)]
  return { properties: distinct.filter((name) => !isPath(name)), paths: distinct.filter(isPath) }
}

/** The columns of the members of a relation: all that is shown of them, or no more than identifies them. */
export function relationSelection({ base, linkage }: RelationQuery, type: ResourceType): Selection {
  return linkage ? getOrCreate(identifying, type, () => identify(type)) : selectionOf(base, type)
}

const identifying = new WeakMap<ResourceType, Selection>()

function identify(type: ResourceType): Selection {
  const names = [
    type.id.property,
    ...(type.checksEachRow ? type.needs : []),
    ...(readsRecord(type) ? wholeRow(type) : []),
  ]
  return { ...selectNames(names), links: [], chained: [] }
}

/** Whether the foreign key of the owner is enough to show the linkage of a to-one: nothing reads the related record. */
export function isKeyLinkage({ kind, owner, target }: Relation): boolean {
  if (kind !== 'belongsTo' || readsRecord(target) || target.checksEachRow) return false
  // Rows of a type without a provider cannot be looked up.
  return owner.provider.hidesKeys === true || target.provider === noProvider
}

/** Whether a function of the author's looks at the record whenever it is shown or named. */
function readsRecord({ declaration, describesIdentifiers }: ResourceType): boolean {
  const { meta, links, typeOf } = declaration
  return describesIdentifiers || [typeOf, meta, links].some((value) => typeof value === 'function')
}

function propertiesOf(attribute: Attribute, type: ResourceType): readonly string[] {
  const computes = attribute.extract || attribute.serialize || isHiddenByRow(attribute)
  const own = attribute.property && !attribute.on ? [attribute.property] : []
  const read = computes ? [...own, ...(attribute.needs ?? wholeRow(type))] : own
  if (attribute.kind === 'map') return [...read, ...attribute.children.flatMap((child) => propertiesOf(child, type))]
  return [...read, ...childrenOf(attribute).flatMap((child) => neededInside(child, type))]
}

/** Properties that functions inside a stored value read of the whole record. */
function neededInside(child: Attribute, type: ResourceType): readonly string[] {
  const needed = isHiddenByRow(child) ? (child.needs ?? wholeRow(type)) : []
  return [...needed, ...childrenOf(child).flatMap((inner) => neededInside(inner, type))]
}

function isHiddenByRow({ hidden }: Attribute | Relation): boolean {
  return typeof hidden === 'function'
}

/** Every property a hook may expect on a record when it does not say what it needs. */
export function wholeRow(type: ResourceType): readonly string[] {
  const columns = [...type.shape.properties.values()].filter(({ role, lazy }) => role === 'scalar' && !lazy)
  return columns.map((property) => property.name)
}

/** The relations of a type that an include may start from, as far as the record is read for them. */
function addKeyed(include: Include, type: ResourceType, keyed: Relation[]): void {
  if (typeof include === 'function') {
    keyed.push(...type.relations.filter(isReadFromRecord))
    return
  }
  for (const { relation, children } of include) {
    if (relation.owner === type && isReadFromRecord(relation)) keyed.push(relation)
    addKeyed(children, type, keyed)
  }
}

/** Its key stands in the record, or a function decides by the record whether it is hidden. */
function isReadFromRecord(relation: Relation): boolean {
  return isOwnerSide(relation) || isHiddenByRow(relation)
}
