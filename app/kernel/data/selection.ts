import { freezeLists } from '../lib/freeze-lists.ts'
import { type Selection, SelectionParts, type ShownFields } from '../schema/columns.ts'
import type { EntityShape } from '../schema/entity-shape.ts'
import { type Attribute, isOwnerSide, listChildren, type Relation, type Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { noProvider } from './no-provider.ts'
import type { Include, Query, RelationQuery } from './query.ts'
import { shownFields } from './shown-fields.ts'

declare module '../schema/resource-type.ts' {
  interface ResourceType {
    /** The columns of linkage. Set by the first read of it. */
    keySelection?: Selection
  }
}

declare module '../schema/field.ts' {
  interface Attribute {
    /** Set by the first read of the chain. */
    hopsWithRowChecks?: readonly Relation[]
  }
  interface Relation {
    /** The properties of the pivot row that functions of pivot fields read. Set by the first read. */
    pivotNeeds?: readonly string[]
  }
}

/** The type that holds a chained attribute. Null if a part of the chain is not a to-one relation to a single type. */
export function chainEnd(type: ResourceType, { on }: Pick<Attribute, 'on'>): ResourceType | null {
  let end = type
  for (const name of on ?? []) {
    const hop = end.fields.get(name)
    if (hop?.role !== 'relation' || hop.toMany || hop.targets.length !== 1) return null
    end = hop.target
  }
  return end
}

/** The types on the chain of an attribute, the last one included. */
export function chainTypes(type: ResourceType, { on }: Attribute): ResourceType[] {
  return (on ?? []).map((_, index, names) => chainEnd(type, { on: names.slice(0, index + 1) }) as ResourceType)
}

/**
 * The relations of a chain up to the last one whose rows are checked after they are read: by `filterRows`, or because the
 * relation has a read ability. Empty if there is none.
 */
export function relationsWithRowChecks(attribute: Attribute, type: ResourceType): readonly Relation[] {
  if (attribute.hopsWithRowChecks) return attribute.hopsWithRowChecks
  const owners = [type, ...chainTypes(type, attribute)]
  const hops = (attribute.on ?? []).map((name, index) => owners[index]?.fields.get(name) as Relation)
  const last = hops.findLastIndex(({ hasReadAbility, target }) => hasReadAbility || target.filtersRowsAfterRead)
  attribute.hopsWithRowChecks = hops.slice(0, last + 1)
  return attribute.hopsWithRowChecks
}

/** The key of a chained attribute in a record. */
export function chainKey({ name }: Attribute): string {
  return `#on:${name}`
}

/** The key whose value says whether a row meets the condition of `ReadOptions.mark`. */
export const inWriteScopeKey = '#in-write-scope'

/**
 * The key of the version of a row: a text that changes with every update. A plugin adds it to the needs of a query. Rows
 * of other providers than the store do not have it.
 */
export const versionKey = '#version'

/** The key of the value of a sort term in the records of a keyset window, from which cursors are created. */
export function keysetKey(index: number): string {
  return `#k${index}`
}

/** The key of a pivot value in the record of a member. */
export function pivotKey({ name }: Attribute): string {
  return `#pivot:${name}`
}

/** The key of a property of the pivot row that only functions read. */
function pivotRowKey(property: string): string {
  return `#pivotRow:${property}`
}

/** The columns of pivot rows to read: values that are shown, and properties that functions of the pivot fields read. */
export function listPivotColumns(relation: Relation): readonly { readonly property: string; readonly key: string }[] {
  return [
    ...relation.pivotFields.map((field) => ({ property: field.property as string, key: pivotKey(field) })),
    ...neededOfPivot(relation).map((property) => ({ property, key: pivotRowKey(property) })),
  ]
}

/** The pivot row of a member, as functions of pivot fields receive it. */
export function pivotRecord(relation: Relation, row: Row): Row {
  return Object.fromEntries(neededOfPivot(relation).map((property) => [property, row[pivotRowKey(property)]]))
}

function neededOfPivot(relation: Relation): readonly string[] {
  const association = { shape: relation.pivotShape as EntityShape }
  relation.pivotNeeds ??= [...new Set(relation.pivotFields.flatMap((field) => neededInside(field, association)))]
  return relation.pivotNeeds
}

/** The key of the discriminator of a polymorphic to-one in a record. */
export function linkTypeKey(relation: Relation): string {
  return `#type:${relation.name}`
}

/** The key of a foreign key in a record. Its value is null if the requester may not see the related row. */
export function linkKey(relation: Relation): string {
  return `#key:${relation.name}`
}

/** The selections of one type and fieldset that are kept: there can be one for each combination of includes. */
const maxSelections = 50

/**
 * The columns that the document renders, and the foreign keys that its includes start from. Every statement of a query
 * selects the same columns of a type, so that one record per row is enough. Queries with the same fields, needs and
 * includes share one selection, which is a cache key of statements.
 */
export function chooseSelection(query: Query, type: ResourceType): Selection {
  return query.plan?.selections.get(type) ?? findSelection(query, type)
}

function findSelection(query: Query, type: ResourceType): Selection {
  const shown = shownFields(type, query)
  const needs = query.needs.get(type) ?? none
  const keyed: Relation[] = []
  addKeyed(query.include, type, keyed)
  let key = needs.length > 0 ? needs.join() : ''
  for (const relation of keyed) key += `|${relation.name}`
  return shown.selections.getOrCreate(key, maxSelections, () => freezeLists(selectShown(shown, type, needs, keyed)))
}

const none: readonly string[] = []

function selectShown(
  { attributes, relations, chained }: ShownFields,
  type: ResourceType,
  needs: readonly string[],
  included: readonly Relation[],
): Selection {
  const properties = [
    type.id.property,
    ...attributes.flatMap((attribute) => listProperties(attribute, type)),
    ...type.needs,
    ...needs,
    ...(readsRecord(type) || [...relations, ...included].some(isHiddenByRow) ? wholeRow(type) : []),
  ]
  const hops = chained.flatMap((attribute) => relationsWithRowChecks(attribute, type).slice(0, 1))
  return {
    ...selectNames(properties),
    links: [...new Set([...relations, ...included, ...hops].filter(isOwnerSide))],
    chained,
  }
}

let selectionCount = 0
/** Splits distinct names into properties of the row, dotted paths and `versionKey`. */
export function selectNames(
  names: readonly string[],
): Pick<Selection, 'id' | 'properties' | 'paths' | 'version' | 'parts'> {
  const isPath = (name: string) => name.includes('.')
  const distinct = new Set(names)
  const version = distinct.delete(versionKey)
  const properties = [...distinct].filter((name) => !isPath(name))
  const paths = [...distinct].filter(isPath)
  return { id: selectionCount++, properties, paths, version, parts: new SelectionParts() }
}

/** The columns of the members of a relation: the shown fields, or only the key for linkage. */
export function relationSelection({ base, linkage }: RelationQuery, type: ResourceType): Selection {
  if (!linkage) return chooseSelection(base, type)
  type.keySelection ??= selectKey(type)
  return type.keySelection
}

function selectKey(type: ResourceType): Selection {
  const names = [
    type.id.property,
    ...(type.filtersRowsAfterRead ? type.needs : []),
    ...(readsRecord(type) ? wholeRow(type) : []),
  ]
  return { ...selectNames(names), links: [], chained: [] }
}

/** Whether linkage is rendered from the foreign key of the owner, without reading the related row. */
export function isKeyLinkage({ kind, owner, target }: Relation): boolean {
  if (kind !== 'belongsTo' || readsRecord(target) || target.filtersRowsAfterRead) return false
  // Rows of a type without a provider cannot be read.
  return owner.provider.hidesKeys === true || target.provider === noProvider
}

/** Whether a declared function reads the record of every resource or identifier. */
function readsRecord({ declaration, describesIdentifiers }: ResourceType): boolean {
  const { meta, links, typeOf } = declaration
  return describesIdentifiers || [typeOf, meta, links].some((value) => typeof value === 'function')
}

function listProperties(attribute: Attribute, type: ResourceType): readonly string[] {
  const computes = attribute.extract || attribute.serialize || isHiddenByRow(attribute)
  const stored = attribute.property && !attribute.on ? [attribute.property] : []
  const read = computes ? [...stored, ...(attribute.needs ?? wholeRow(type))] : stored
  if (attribute.kind === 'map') return [...read, ...attribute.children.flatMap((child) => listProperties(child, type))]
  return [...read, ...listChildren(attribute).flatMap((child) => neededInside(child, type))]
}

/** The properties that functions of nested attributes read. */
function neededInside(child: Attribute, type: Pick<ResourceType, 'shape'>): readonly string[] {
  const needed = isHiddenByRow(child) ? (child.needs ?? wholeRow(type)) : []
  return [...needed, ...listChildren(child).flatMap((inner) => neededInside(inner, type))]
}

function isHiddenByRow({ hidden }: Attribute | Relation): boolean {
  return typeof hidden === 'function'
}

/** All properties that a function may read if its needs are not declared. */
export function wholeRow({ shape }: Pick<ResourceType, 'shape'>): readonly string[] {
  const columns = [...shape.properties.values()].filter(({ role, lazy }) => role === 'scalar' && !lazy)
  return columns.map((property) => property.name)
}

/** Adds the relations of a type that an include starts from and that need a column of the record. */
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

/** Whether the record holds the foreign key, or a function hides the relation by record. */
function isReadFromRecord(relation: Relation): boolean {
  return isOwnerSide(relation) || isHiddenByRow(relation)
}
