import { type Attribute, codecOf, isObject, type Phrase, type PropertyShape, phrase } from '#kernel/plugin'
import { familyOf } from './value-family.ts'

/** Returns the fault of a value; null if the value is accepted. */
export type ValueCheck = (value: unknown) => Phrase | null

/** Checks the JSON type and form of a value: the codec of the attribute must accept it. Nothing is coerced. */
export function compileKindCheck(attribute: Attribute): ValueCheck {
  const accepts = acceptsKind(attribute)
  return (value) => (accepts(value) ? null : kindFault(attribute, value))
}

function acceptsKind(attribute: Attribute): (value: unknown) => boolean {
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

function kindFault({ kind, name }: Attribute, value: unknown): Phrase {
  switch (kind) {
    case 'integer':
      return phrase("'{name}' must be an integer from -9007199254740991 to 9007199254740991.", { name })
    case 'decimal':
      return phrase("'{name}' must be a number from -9007199254740991 to 9007199254740991.", { name })
    case 'boolean':
      return phrase("'{name}' must be true or false.", { name })
    case 'dateTime':
      return phrase("'{name}' must be an RFC 3339 date and time, for example 2024-02-29T12:00:00Z.", { name })
    case 'date':
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

function unstorableFault(name: string): Phrase {
  return phrase("'{name}' must not contain the character U+0000 or an unpaired surrogate.", { name })
}

/** Checks that the column can store a value of the right kind. Returns null if the column has no limit. */
export function compileColumnCheck(
  attribute: Attribute,
  { maxLength, range, holdsItem }: Partial<PropertyShape> = {},
): ValueCheck | null {
  const { name } = attribute
  const family = familyOf(attribute)
  if (family === 'text' && maxLength !== undefined) {
    const fault = phrase("'{name}' must have at most {maxLength} characters.", { name, maxLength })
    return (value) => ((value as string).length <= maxLength ? null : fault)
  }
  if (family === 'number' && range) {
    const [min, max] = range
    const fault = phrase("'{name}' must be a number from {min} to {max}.", { name, min, max })
    return (value) => ((value as number) >= min && (value as number) <= max ? null : fault)
  }
  if (family === 'list' && holdsItem) {
    const fault = phrase("'{name}' must only have items of the type that its column stores.", { name })
    return (value) => ((value as unknown[]).every(holdsItem) ? null : fault)
  }
  return null
}
