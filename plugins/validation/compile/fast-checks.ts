import { type Attribute, codecOf, isObject, type PropertyShape } from '#kernel/plugin'
import type { Rules } from '../rules.ts'
import { familyOf } from './joi-schemas.ts'

// What is plainly right is not shown to a schema, which says what is wrong with the rest.

export type IsRight = (value: unknown) => boolean

/** Whether a value is of the kind. */
export function isOfKind(attribute: Attribute): IsRight {
  const { fromWire } = codecOf(attribute)
  switch (attribute.kind) {
    case 'decimal':
      return (value) => typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    case 'map':
    case 'obj':
    case 'oneOf':
      return isObject
    default:
      return (value) => fromWire(value) !== undefined
  }
}

/** Whether the column holds a value of the kind. */
export function fitsColumn(
  attribute: Attribute,
  { maxLength, range, holdsItem }: Partial<PropertyShape> = {},
): IsRight {
  switch (familyOf(attribute)) {
    case 'text':
      return maxLength === undefined ? always : (value) => (value as string).length <= maxLength
    case 'number':
      return range ? (value) => (value as number) >= range[0] && (value as number) <= range[1] : always
    case 'list':
      return holdsItem ? (value) => (value as unknown[]).every(holdsItem) : always
    default:
      return always
  }
}

const always: IsRight = () => true

/** Words that ask nothing of a value by itself. */
const unspoken: ReadonlySet<string> = new Set<keyof Rules>([
  'required',
  'nullable',
  'compared',
  'uniqueEntity',
  'strangers',
])

/** Whether rules ask nothing of a value of the kind. */
export function asksNothing(rules: Rules, hasFormat: boolean): boolean {
  return !hasFormat && Object.keys(rules).every((word) => unspoken.has(word))
}
