import { type Phrase, phrase } from '#kernel/errors'
import { type Attribute, codecOf, countCodePoints, isObject, type PropertyShape } from '#kernel/plugin'
import { listedItemFault, listedValueFault } from './joi-schemas.ts'
import { findFamily } from './value-family.ts'

/** Returns the fault of a value; null if the value is accepted. */
export type ValueCheck = (value: unknown) => Phrase | null

/** The limits of a column that faults name. */
export type Column = Partial<Pick<PropertyShape, 'maxLength' | 'range' | 'values' | 'holdsItem'>>

/** Returns undefined for a value that is not of the JSON type and form of the attribute. Nothing is coerced. */
export function kindReader(attribute: Attribute): (value: unknown) => unknown {
  switch (attribute.kind) {
    case 'decimal':
      return (value) => (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined)
    case 'map':
    case 'obj':
    case 'oneOf':
      return (value) => (isObject(value) ? value : undefined)
    default:
      return codecOf(attribute).fromWire
  }
}

/** The fault of a value that is not of the kind. */
export function kindFault(attribute: Attribute, value: unknown, column: Column = {}): Phrase {
  const { kind, name, infinite } = attribute
  switch (kind) {
    case 'integer':
    case 'decimal':
      return typeof value === 'number' ? numberFault(attribute, value, column) : numberTypeFault(attribute, value)
    case 'boolean':
      return phrase("'{name}' must be true or false, not {sent}.", { name, sent: describeJsonType(value) })
    case 'dateTime':
      if (infinite)
        return phrase(
          "'{name}' must be an RFC 3339 date and time, for example 2024-02-29T12:00:00Z, or infinity or -infinity.",
          { name },
        )
      return phrase("'{name}' must be an RFC 3339 date and time, for example 2024-02-29T12:00:00Z.", { name })
    case 'date':
      if (infinite) return phrase("'{name}' must be a date in the form YYYY-MM-DD, or infinity or -infinity.", { name })
      return phrase("'{name}' must be a date in the form YYYY-MM-DD.", { name })
    case 'time':
      return phrase("'{name}' must be a time in the form HH:MM:SS.", { name })
    case 'arrayList':
      return Array.isArray(value) ? unstorableFault(name) : phrase("'{name}' must be an array.", { name })
    case 'arrayHash':
    case 'map':
    case 'obj':
    case 'oneOf':
      return isObject(value) ? unstorableFault(name) : phrase("'{name}' must be an object.", { name })
    default:
      return typeof value === 'string' ? unstorableFault(name) : phrase("'{name}' must be a string.", { name })
  }
}

function numberTypeFault({ kind, name }: Attribute, value: unknown): Phrase {
  const sent = describeJsonType(value)
  return kind === 'integer'
    ? phrase("'{name}' must be an integer, not {sent}.", { name, sent })
    : phrase("'{name}' must be a number, not {sent}.", { name, sent })
}

function numberFault(attribute: Attribute, value: number, { range = safeRange }: Column): Phrase {
  const { kind, name } = attribute
  const isFraction = kind === 'integer' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return isFraction ? phrase("'{name}' must be an integer.", { name }) : rangeFault(attribute, range)
}

const safeRange = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const

function rangeFault({ kind, name }: Attribute, range: readonly [number, number]): Phrase {
  const [min, max] = [Math.max(range[0], safeRange[0]), Math.min(range[1], safeRange[1])]
  return kind === 'integer'
    ? phrase("'{name}' must be an integer from {min} to {max}.", { name, min, max })
    : phrase("'{name}' must be a number from {min} to {max}.", { name, min, max })
}

function describeJsonType(value: unknown): Phrase {
  if (Array.isArray(value)) return phrase('an array')
  if (typeof value === 'string') return phrase('a string')
  if (typeof value === 'number') return phrase('a number')
  return typeof value === 'boolean' ? phrase('a boolean') : phrase('an object')
}

function unstorableFault(name: string): Phrase {
  return phrase("'{name}' must not contain the character U+0000 or an unpaired surrogate.", { name })
}

/** Checks that the column can store a value of the right kind. Returns null if the column has no limit. */
export function compileColumnCheck(
  attribute: Attribute,
  { maxLength, range, values, holdsItem }: Column = {},
): ValueCheck | null {
  const { name } = attribute
  const family = findFamily(attribute)
  if (values) return compileEnumCheck(attribute, values)
  if (family === 'text' && maxLength !== undefined) {
    const fault = phrase("'{name}' must have at most {maxLength} characters.", { name, maxLength })
    return (value) => (countCodePoints(value as string) <= maxLength ? null : fault)
  }
  if (family === 'number' && range) {
    const [min, max] = range
    const fault = rangeFault(attribute, range)
    return (value) => ((value as number) >= min && (value as number) <= max ? null : fault)
  }
  if (family === 'list' && holdsItem) {
    const fault = phrase("'{name}' must only have items of the type that its column stores.", { name })
    return (value) => ((value as unknown[]).every(holdsItem) ? null : fault)
  }
  return null
}

/** Checks a value, or the items of a list, against the enum of the column. A function that converts the value decides alone. */
function compileEnumCheck(attribute: Attribute, values: readonly unknown[]): ValueCheck | null {
  const { name } = attribute
  if (!storesSentValue(attribute)) return null
  if (findFamily(attribute) !== 'list') {
    return (value) => (values.includes(value) ? null : listedValueFault(name, values, value))
  }
  return (value) => {
    const other = (value as unknown[]).find((item) => !values.includes(item))
    return other === undefined ? null : listedItemFault(name, values, other)
  }
}

/** Whether no function converts the value before it is stored. */
export function storesSentValue({ fill, deserialize }: Attribute): boolean {
  return !fill && !deserialize
}
