import { type Attribute, isOwnerSide, type Relation } from './fields/definition.ts'
import type { Include, Query, RelationQuery } from './query.ts'
import { remember } from './remember.ts'
import type { ResourceType } from './resource.ts'

/** The members a type shows under the fieldsets of a query. */
export interface Shown {
  readonly attributes: readonly Attribute[]
  readonly relations: readonly Relation[]
  /** Those of the relations whose members are named in every answer. */
  readonly named: readonly Relation[]
}

const shownOf = new WeakMap<object, Map<ResourceType, Shown>>()

/** Settled once per type and fieldset; a type without one shows the same in every answer. */
export function shownFields(type: ResourceType, fields: Query['fields']): Shown {
  const set = (fields.size > 0 && fields.get(type.name)) || type.defaultFields
  return shownOf.get(set ?? type)?.get(type) ?? settleShown(type, set)
}

function settleShown(type: ResourceType, set: ReadonlySet<string> | null): Shown {
  const shown = shownUnder(type, set)
  remember(shownOf, set ?? type, () => new Map<ResourceType, Shown>()).set(type, shown)
  return shown
}

function shownUnder(type: ResourceType, set: ReadonlySet<string> | null): Shown {
  const relations = type.relations.filter((field) => field.hidden !== true && (!set || set.has(field.name)))
  return {
    attributes: type.attributes.filter(
      (field) => field.hidden !== true && field.writeOnly !== true && (!set || set.has(field.name)),
    ),
    relations,
    named: relations.filter(({ linkage }) => linkage === 'always'),
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
  const shown = shownFields(type, query.fields)
  const needs = query.needs.get(type) ?? none
  const keyed: Relation[] = []
  addKeyed(query.include, type, keyed)
  let name = needs.length > 0 ? needs.join() : ''
  for (const relation of keyed) name += `|${relation.name}`
  const alike = remember(known, shown, () => new Map<string, Selection>())
  return remember(alike, name, () => selectShown(shown, type, needs, keyed))
}

const none: readonly string[] = []

function selectShown(
  { attributes, relations }: Shown,
  type: ResourceType,
  needs: readonly string[],
  included: readonly Relation[],
): Selection {
  const properties = [
    type.id.property,
    ...attributes.flatMap((attribute) => propertiesOf(attribute, type)),
    ...type.needs,
    ...needs,
    ...(readsRecord(type) || relations.some(({ hidden }) => hidden) ? wholeRow(type) : []),
  ]
  return {
    ...selectNames(properties),
    links: [...new Set([...relations.filter(isOwnerSide), ...included])],
    chained: attributes.filter(({ on }) => on),
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
  return linkage ? remember(identifying, type, () => identify(type)) : selectionOf(base, type)
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
export function isKeyLinkage({ kind, target }: Relation): boolean {
  return kind === 'belongsTo' && !readsRecord(target) && !target.checksEachRow
}

/** Whether a function of the author's looks at the record whenever it is shown or named. */
function readsRecord({ declaration, describesIdentifiers }: ResourceType): boolean {
  const { meta, links, typeOf } = declaration
  return describesIdentifiers || typeOf !== undefined || (meta?.length ?? 0) > 0 || (links?.length ?? 0) > 0
}

function propertiesOf(attribute: Attribute, type: ResourceType): readonly string[] {
  if (attribute.kind === 'map') return attribute.children.flatMap((child) => propertiesOf(child, type))
  const computes = attribute.extract || attribute.serialize || typeof attribute.hidden === 'function'
  const own = attribute.property && !attribute.on ? [attribute.property] : []
  return computes ? [...own, ...(attribute.needs ?? wholeRow(type))] : own
}

/** Every property a hook may expect on a record when it does not say what it needs. */
export function wholeRow(type: ResourceType): readonly string[] {
  const columns = [...type.shape.properties.values()].filter(({ role, lazy }) => role === 'scalar' && !lazy)
  return columns.map((property) => property.name)
}

/** The relations of a type that an include may start from, as far as their key stands in the record. */
function addKeyed(include: Include, type: ResourceType, keyed: Relation[]): void {
  if (typeof include === 'function') {
    keyed.push(...type.relations.filter(isOwnerSide))
    return
  }
  for (const { relation, children } of include) {
    if (relation.owner === type && isOwnerSide(relation)) keyed.push(relation)
    addKeyed(children, type, keyed)
  }
}
