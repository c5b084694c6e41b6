import {
  type Attribute,
  hidingDeclaration,
  listChildren,
  type Relation,
  type ResourceType,
  type Visibility,
} from '#kernel/plugin'
import type { SortTerm } from '#kernel/queries'

declare module '#kernel/plugin' {
  interface ResourceType {
    /** Whether a requester may see the values of the default sort. */
    exposesDefaultSort?: IsExposed
  }
}

/** Whether a requester may filter or sort by a value. A trusted requester has no visibility (null). */
export type IsExposed = (visibility: Visibility | null) => boolean

/** Which requesters may filter or sort by a property, derived from the attributes that show it. */
export interface Exposure {
  /** The declaration that hides the property from all requesters, and its field. Null if there is none. */
  readonly hiddenBy: { readonly field: string; readonly modifier: string } | null
  readonly isExposed: IsExposed
}

/**
 * A property is exposed to all requesters if no attribute reads it, or if one shows it unchanged. Otherwise an attribute
 * with `hiddenFor` exposes it to the requesters that see the attribute. `hidden` and `writeOnly` expose it to none.
 */
export function findExposure(attributes: readonly Attribute[], property: string): Exposure {
  const readers = attributes.flatMap((attribute) => findReaders(attribute, property, []))
  if (readers.length === 0 || readers.some(isUnchanged)) return { hiddenBy: null, isExposed: always }
  const conditional = readers.filter(
    (parts) => !parts.some(hidingDeclaration) && parts.some(({ hiddenFor }) => hiddenFor),
  )
  if (conditional.length > 0) return { hiddenBy: null, isExposed: (visibility) => conditional.some(seenBy(visibility)) }
  const hiding = readers.flat().find(hidingDeclaration)
  return hiding
    ? { hiddenBy: { field: hiding.name, modifier: hidingDeclaration(hiding) as string }, isExposed: () => false }
    : { hiddenBy: null, isExposed: always }
}

/** The same for an attribute and its children. */
export function hidingDeclarationWithin(attribute: Attribute): string | null {
  const hiding = listParts(attribute).find(hidingDeclaration)
  return hiding ? hidingDeclaration(hiding) : null
}

/** Whether a requester sees a field and its children. */
export function exposureOfField(field: Attribute | Relation): IsExposed {
  const parts = field.role === 'attribute' ? listParts(field) : [field]
  return parts.some(({ hiddenFor }) => hiddenFor) ? (visibility) => seenBy(visibility)(parts) : always
}

/** Whether a requester may sort by the terms: their properties and the fields they are named after are exposed. */
export function exposureOfTerms(terms: readonly SortTerm[], { attributes, fields }: ResourceType): IsExposed {
  const tests = terms.flatMap(({ key, property }) => {
    const field = fields.get(key)
    const { isExposed } = findExposure(attributes, property)
    return field?.role === 'attribute' ? [isExposed, exposureOfField(field)] : [isExposed]
  })
  const conditional = tests.filter((test) => test !== always)
  return conditional.length > 0 ? (visibility) => conditional.every((test) => test(visibility)) : always
}

/** The default sort of a type. Empty if the requester may not see one of its values. */
export function defaultSortFor(type: ResourceType, visibility: Visibility | null): readonly SortTerm[] {
  if (visibility === null) return type.defaultSort
  type.exposesDefaultSort ??= exposureOfTerms(type.defaultSort, type)
  return type.exposesDefaultSort(visibility) ? type.defaultSort : []
}

export const always: IsExposed = () => true

const seenBy = (visibility: Visibility | null) => (parts: readonly (Attribute | Relation)[]) =>
  visibility === null || !parts.some((part) => visibility.hides(part))

/** For each attribute that shows the property: the fields that must be visible. */
function findReaders(attribute: Attribute, property: string, around: readonly Attribute[]): (readonly Attribute[])[] {
  if (attribute.kind === 'map') {
    return attribute.children.flatMap((child) => findReaders(child, property, [...around, attribute]))
  }
  return attribute.property === property && !attribute.on ? [[...around, ...listParts(attribute)]] : []
}

function listParts(attribute: Attribute): readonly Attribute[] {
  return [attribute, ...listChildren(attribute).flatMap(listParts)]
}

function isUnchanged(parts: readonly Attribute[]): boolean {
  return parts.every((part) => !hidingDeclaration(part) && !part.hiddenFor && !part.extract && !part.serialize)
}
