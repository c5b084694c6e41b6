import {
  type Attribute,
  hidingDeclaration,
  isPolymorphic,
  listChildren,
  type PropertyShape,
  type Registry,
  type Relation,
  type ResourceType,
} from '#kernel/plugin'
import { always, exposureOfField, findExposure, hidingDeclarationWithin, type IsExposed } from '#query'
import { type FilterableKind, findKind, idKind } from './operators.ts'

declare module '#kernel/plugin' {
  interface ResourceType {
    /** The names that expressions accept. Set in `onCompile`. */
    filterable?: Filterable
  }
}

/** What expressions on resources of a type may name. */
export interface Filterable {
  readonly attributes: ReadonlyMap<string, FilterableAttribute>
  readonly relations: ReadonlyMap<string, FilterableRelation>
}

export interface FilterableAttribute {
  /** The entity property that is compared. */
  readonly property: string
  /** The attribute and its column. Null for the id, which the codec of the type converts. */
  readonly stored: { readonly attribute: Attribute; readonly column: PropertyShape } | null
  readonly kind: FilterableKind
  readonly isExposed: IsExposed
}

export interface FilterableRelation {
  readonly relation: Relation
  readonly isExposed: IsExposed
}

export function findFilterable({ filterable }: ResourceType): Filterable {
  return filterable as Filterable
}

/** Compiles the fields of a type that are declared with `filterable()`, and reports those that cannot be filtered. */
export function compileFilterable(type: ResourceType, registry: Registry): Filterable {
  const attributes = new Map<string, FilterableAttribute>([
    ['id', { property: type.id.property, stored: null, kind: idKind, isExposed: always }],
  ])
  const relations = new Map<string, FilterableRelation>()
  for (const attribute of type.attributes) {
    reportParts(listChildren(attribute), type, registry)
    if (!attribute.options.filterable) continue
    const compiled = compileAttribute(attribute, type)
    if (typeof compiled === 'string') registry.fail(type, attribute.name, `filterable(): ${compiled}`)
    else attributes.set(attribute.name, compiled)
  }
  for (const relation of type.relations) {
    reportParts(relation.pivotFields, type, registry)
    if (!relation.options.filterable) continue
    const fault = relationFault(relation)
    if (fault) registry.fail(type, relation.name, `filterable(): ${fault}`)
    else relations.set(relation.name, { relation, isExposed: exposureOfField(relation) })
  }
  return { attributes, relations }
}

/** Whether a field of the type is declared with `filterable()`. Without one, the type has no filter. */
export function hasFilterable({ attributes, relations }: Filterable): boolean {
  return attributes.size > 1 || relations.size > 0
}

/** Returns why an attribute cannot be filtered. */
function compileAttribute(attribute: Attribute, type: ResourceType): FilterableAttribute | string {
  const { property: name, on } = attribute
  const modifier = hidingDeclarationWithin(attribute)
  if (modifier) return `an attribute with ${modifier} cannot be filtered: a filter reveals its values. ${useHiddenFor}`
  if (on)
    return `the value is in another resource. Make that attribute and the relation filterable: '${on.join('.')}.…'.`
  const column = name === null ? undefined : type.shape.properties.get(name)
  if (column?.role !== 'scalar') return 'the attribute has no column. Declare a custom filter.'
  const kind = findKind(attribute, column)
  if (!kind) return `values of the kind '${attribute.kind}' cannot be compared. Declare a filter.`
  const { hiddenBy, isExposed } = findExposure(type.attributes, column.name)
  if (hiddenBy) return `it reads '${hiddenBy.field}', which is ${hiddenBy.modifier}. ${useHiddenFor}`
  const isSeen = exposureOfField(attribute)
  return {
    property: column.name,
    stored: { attribute, column },
    kind,
    isExposed: (visibility) => isSeen(visibility) && isExposed(visibility),
  }
}

const useHiddenFor = 'Use hiddenFor(fn) instead.'

function relationFault(relation: Relation): string | null {
  const modifier = hidingDeclaration(relation)
  if (modifier) return `a relation with ${modifier} cannot be filtered: a filter reveals its members. ${useHiddenFor}`
  if (isPolymorphic(relation)) return 'a polymorphic relation cannot be filtered.'
  const other = [relation.owner, ...relation.targets].find(({ isStandalone }) => isStandalone)
  return other ? `the rows of '${other.name}' are not in the database.` : null
}

/** Members of objects and columns of join tables have no name in an expression. */
function reportParts(parts: readonly Attribute[], type: ResourceType, registry: Registry): void {
  for (const part of parts) {
    if (part.options.filterable) {
      registry.fail(type, part.name, 'filterable(): only attributes of the resource itself can be filtered.')
    }
    reportParts(listChildren(part), type, registry)
  }
}

/** Reports relations to rows that are hidden row by row, which no condition of a statement excludes, and protected ones. */
export function checkHiddenRows(type: ResourceType, { relations }: Filterable, registry: Registry): void {
  for (const { relation } of relations.values()) {
    const hidden = relation.targets.find(({ rowFilterReason }) => rowFilterReason)
    if (hidden)
      registry.fail(type, relation.name, `filterable(): '${hidden.name}' is read, whose ${hidden.rowFilterReason}.`)
    else if (relation.hasReadAbility) {
      registry.fail(
        type,
        relation.name,
        'filterable(): a relation with security() cannot be filtered. Declare a filter with availableWhen().',
      )
    }
  }
}

/** Records the columns, so that `npm run doctor` can report missing indexes. */
export function recordLookups(type: ResourceType, { attributes }: Filterable, key: string): void {
  for (const [name, { stored, property }] of attributes) {
    if (stored) type.lookups.push({ parameter: `filter[${key}]: ${name}`, by: 'value', properties: [property] })
  }
}
