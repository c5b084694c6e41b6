import { acceptedForms, type Phrase, phrase } from '#kernel/errors'
import { type Attribute, codecOf, type PropertyShape, type ResourceType } from '#kernel/plugin'
import { isStorableText, parseInfinity } from '#kernel/queries'
import { castTo, dateSpellings, listValues, valueFault } from '#plugins/filtering/index.ts'
import type { Literal } from './expression.ts'
import type { FilterableAttribute } from './filterable.ts'

/** The value to compare with, or why there is none. */
export type Converted = { readonly value: unknown } | { readonly fault: Phrase }

/** Converts a value as the kind of the attribute and its column demand. */
export function convertValue(
  { kind: form, text }: Literal,
  { stored, kind }: FilterableAttribute,
  type: ResourceType,
): Converted {
  if (form !== kind.literal) return { fault: valueFault(text, forms[kind.literal]) }
  if (!isStorableText(text)) return { fault: phrase('contains a NUL character or an unpaired surrogate') }
  const listed = stored && kind.literal === 'text' ? listValues(stored.attribute) : null
  if (listed && !listed.includes(text))
    return { fault: valueFault(text, phrase('{values}', { values: listed.map(String) })) }
  const value = stored ? parseValue(text, stored.attribute, stored.column) : type.codec.decode(text)
  if (value !== undefined) return { value }
  const accepted = stored
    ? describeAccepted(stored.attribute, stored.column)
    : phrase("an id of type '{type}'", { type: type.name })
  return { fault: valueFault(text, accepted) }
}

const forms = {
  text: phrase('a text in single quotes'),
  number: phrase('a number without quotes'),
  boolean: phrase('true or false without quotes'),
} as const

function parseValue(text: string, attribute: Attribute, property: PropertyShape): unknown {
  if (parseInfinity(text)) return castTo(property, text)
  if (attribute.kind === 'date') return day.test(text) ? parseSpelling(text, property) : undefined
  if (attribute.kind !== 'dateTime') return castTo(property, text)
  if (attribute.timezone === 'UTC' || offset.test(text)) return parseSpelling(text, property)
  return castTo(property, codecOf(attribute).fromWire(day.test(text) ? `${text}T00:00:00` : text))
}

const day = /^\d{4}-\d\d-\d\d$/
const offset = /(Z|[+-]\d\d:?\d\d)$/i

/** A date is its first moment for a column of times. */
function parseSpelling(text: string, property: PropertyShape): unknown {
  return dateSpellings(text).flatMap((spelling) => castTo(property, spelling) ?? [])[0]
}

function describeAccepted({ kind }: Attribute, { accepted }: PropertyShape): Phrase | undefined {
  if (kind === 'dateTime') return acceptedForms.dateOrTime
  return kind === 'date' ? acceptedForms.date : accepted
}
