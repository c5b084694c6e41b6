import type { Schema } from '#openapi'
import { itemFamily, type ValueFamily } from '../compile/value-family.ts'
import type { Format, Rules } from '../rules.ts'

/** Converts the rules that need nothing but the value to JSON Schema. */
export function toJsonSchema(family: ValueFamily, rules: Rules): Schema {
  switch (family) {
    case 'text':
      return textSchema(rules)
    case 'number':
      return defined({
        minimum: rules.min,
        maximum: rules.max,
        exclusiveMinimum: rules.exclusiveMin,
        exclusiveMaximum: rules.exclusiveMax,
        multipleOf: rules.multipleOf,
        ...notIn(rules),
      })
    case 'list':
      return {
        ...defined({ minItems: rules.minItems, maxItems: rules.maxItems, uniqueItems: rules.uniqueItems }),
        ...(rules.each && { items: itemSchema(rules.each) }),
      }
    case 'hash':
      return {
        ...defined({ minProperties: rules.minProperties || undefined, maxProperties: rules.maxProperties }),
        ...shapeSchema(rules),
      }
    default:
      return {}
  }
}

function itemSchema(rules: Rules): Schema {
  return { ...itemType(rules), ...(rules.in && { enum: [...rules.in] }), ...toJsonSchema(itemFamily(rules), rules) }
}

/** The type of the items of a list by the rules of `each()`. */
export function itemType(rules: Rules): Schema {
  return { type: itemFamily(rules) === 'number' ? 'number' : 'string' }
}

function textSchema(rules: Rules): Schema {
  const { minLength, maxLength, patterns = [], format } = rules
  const sources = patterns.flatMap((pattern) => portable(pattern) ?? [])
  const [first, ...rest] = sources
  return {
    ...defined({ minLength, maxLength, pattern: first, ...notIn(rules) }),
    ...(format && formatSchema(format)),
    ...(rest.length > 0 && { allOf: rest.map((pattern) => ({ pattern })) }),
  }
}

const ipSchemas = {
  v4: { format: 'ipv4' },
  v6: { format: 'ipv6' },
  both: {
    anyOf: [
      { type: 'string', format: 'ipv4' },
      { type: 'string', format: 'ipv6' },
    ],
  },
}

function formatSchema(format: Format): Schema {
  switch (format.kind) {
    case 'email':
      return { format: format.strict ? 'email' : 'idn-email' }
    case 'url':
      return { format: 'uri', pattern: `^(?:${format.schemes.map(inAnyCase).join('|')}):` }
    case 'uuid':
      return { format: 'uuid' }
    case 'slug':
      return defined({ pattern: format.pattern ? portable(format.pattern) : '^[a-z0-9]+(-[a-z0-9]+)*$' })
    case 'ip':
      return ipSchemas[format.version]
  }
}

function shapeSchema({ shapes = [] }: Rules): Schema {
  const [first, ...rest] = shapes.map(({ shape, schemas }) => ({ [shape]: schemas }))
  return rest.length > 0 ? { allOf: [first, ...rest] } : { ...first }
}

function notIn({ notIn }: Rules): Schema {
  return notIn ? { not: { enum: [...notIn] } } : {}
}

/** The pattern of a text in any case, because JSON Schema has no flags: `[fF][tT][pP]`. */
function inAnyCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
}

/** Returns undefined for a pattern with flags, which JSON Schema does not support. */
function portable({ source, flags }: RegExp): string | undefined {
  return flags.replace('u', '') === '' ? source : undefined
}

function defined(schema: Record<string, unknown>): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))
}
