import { getOrCreate } from '../lib/get-or-create.ts'
import { type Attribute, childrenOf, type Relation } from './field.ts'
import type { SortTerm } from './query.ts'
import type { ResourceType } from './resource-type.ts'
import type { Visibility } from './visibility.ts'

/** Whether a requester may search or sort by something; null visibility is a trusted program. */
export type IsExposed = (visibility: Visibility | null) => boolean

/** Who may search or sort by a property of rows, given the attributes through which it is shown. */
export interface Exposure {
  /** The word that hides the property, and the field it was said of; null when nothing keeps it from being exposed. */
  readonly hiddenBy: { readonly field: string; readonly word: string } | null
  readonly isExposed: IsExposed
}

/**
 * A property is open when no attribute stands for it, or one shows it as it is. Otherwise an attribute with `hiddenFor`
 * opens it to requesters who see that attribute; with none, `hidden` and `writeOnly` close it to all.
 */
export function exposureOf(attributes: readonly Attribute[], property: string): Exposure {
  const readers = attributes.flatMap((attribute) => readersOf(attribute, property, []))
  if (readers.length === 0 || readers.some(isPlain)) return { hiddenBy: null, isExposed: always }
  const conditional = readers.filter((parts) => !parts.some(hidingWord) && parts.some(({ hiddenFor }) => hiddenFor))
  if (conditional.length > 0) return { hiddenBy: null, isExposed: (visibility) => conditional.some(seenBy(visibility)) }
  const [hiding] = readers.flat().filter(hidingWord)
  return hiding
    ? { hiddenBy: { field: hiding.name, word: hidingWord(hiding) as string }, isExposed: () => false }
    : { hiddenBy: null, isExposed: always }
}

/** The word that hides a field from all requesters or by row; null when there is none. */
export function hidingWord(field: Attribute | Relation): string | null {
  if (field.hidden !== false) return 'hidden()'
  return field.role === 'attribute' && field.writeOnly !== false ? 'writeOnly()' : null
}

/** The same for a field and all that is inside it. */
export function hidingWordWithin(attribute: Attribute): string | null {
  return (
    partsOf(attribute)
      .map(hidingWord)
      .find((word) => word !== null) ?? null
  )
}

/** Whether a requester sees a field and all that is inside it. */
export function exposureOfField(field: Attribute | Relation): IsExposed {
  const parts = field.role === 'attribute' ? partsOf(field) : [field]
  return parts.some(({ hiddenFor }) => hiddenFor) ? (visibility) => seenBy(visibility)(parts) : always
}

/** Whether a requester may see rows in an order: all values it is made of, and the fields its keys are named after. */
export function exposureOfTerms(terms: readonly SortTerm[], { attributes, fields }: ResourceType): IsExposed {
  const tests = terms.flatMap(({ key, property }) => {
    const field = fields.get(key)
    const { isExposed } = exposureOf(attributes, property)
    return field?.role === 'attribute' ? [isExposed, exposureOfField(field)] : [isExposed]
  })
  const conditional = tests.filter((test) => test !== always)
  return conditional.length > 0 ? (visibility) => conditional.every((test) => test(visibility)) : always
}

const ofDefaultSorts = new WeakMap<ResourceType, IsExposed>()

/** The order a type has by itself; none where the requester may not see a value it is made of. */
export function defaultSortFor(type: ResourceType, visibility: Visibility | null): readonly SortTerm[] {
  if (visibility === null) return type.defaultSort
  const isExposed = getOrCreate(ofDefaultSorts, type, () => exposureOfTerms(type.defaultSort, type))
  return isExposed(visibility) ? type.defaultSort : []
}

export const always: IsExposed = () => true

const seenBy = (visibility: Visibility | null) => (parts: readonly (Attribute | Relation)[]) =>
  visibility === null || !parts.some((part) => visibility.hides(part))

/** For each attribute over the property: all fields that must be visible for its value to be. */
function readersOf(attribute: Attribute, property: string, around: readonly Attribute[]): (readonly Attribute[])[] {
  if (attribute.kind === 'map') {
    return attribute.children.flatMap((child) => readersOf(child, property, [...around, attribute]))
  }
  return attribute.property === property && !attribute.on ? [[...around, ...partsOf(attribute)]] : []
}

function partsOf(attribute: Attribute): readonly Attribute[] {
  return [attribute, ...childrenOf(attribute).flatMap(partsOf)]
}

function isPlain(parts: readonly Attribute[]): boolean {
  return parts.every((part) => !hidingWord(part) && !part.hiddenFor && !part.extract && !part.serialize)
}
