import type { Schema } from '#openapi'
import { numberExample, textExample } from './scalars.ts'

/** Returns the schema that a reference leads to. */
export type Resolve = (reference: string) => Schema

/**
 * Returns a value that the schema allows: the declared example, else a generated value. Objects contain their required
 * members and those with a declared example. Returns undefined if no value can be generated.
 */
export function createExample(schema: Schema | boolean | undefined, resolve: Resolve): unknown {
  if (typeof schema !== 'object') return undefined
  const { examples, const: constant, enum: values, default: defaultValue, $ref } = schema
  if (Array.isArray(examples)) return examples[0]
  if (constant !== undefined) return constant
  if (Array.isArray(values)) return values[0]
  if (defaultValue !== undefined) return defaultValue
  if ($ref !== undefined) return createExample(resolve($ref), resolve)
  switch ([schema.type].flat().find((type) => type !== 'null')) {
    case 'string':
      return textExample(schema)
    case 'integer':
    case 'number':
      return numberExample(schema)
    case 'boolean':
      return true
    case 'array':
      return listExample(schema, resolve)
    case 'object':
      return objectExample(schema, resolve)
    default:
      return alternativeExample(schema, resolve)
  }
}

function listExample({ items, minItems = 0, maxItems }: Schema, resolve: Resolve): unknown {
  const item = maxItems === 0 ? undefined : createExample(items, resolve)
  const list = item === undefined ? [] : [item]
  return list.length < (minItems as number) ? undefined : list
}

function objectExample(schema: Schema, resolve: Resolve): object | undefined {
  const { properties = {}, required = [], minProperties = 0, allOf = [] } = schema
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || hasDeclaredExample(properties[name], resolve),
  )
  const members = names.map((name) => [name, createExample(properties[name], resolve)] as const)
  const isAlternative = 'anyOf' in schema || 'oneOf' in schema
  const parts = [
    Object.fromEntries(members),
    ...(allOf as readonly Schema[]).map((part) => createExample(part, resolve)),
    ...(isAlternative ? [alternativeExample(schema, resolve)] : []),
  ]
  const isComplete = members.every(([, value]) => value !== undefined) && !parts.includes(undefined)
  const example = Object.assign({}, ...parts)
  return isComplete && Object.keys(example).length >= (minProperties as number) ? example : undefined
}

/** The example of the first alternative that has one. */
function alternativeExample({ anyOf, oneOf }: Schema, resolve: Resolve): unknown {
  const alternatives = (anyOf ?? oneOf ?? []) as readonly Schema[]
  const values = alternatives.map((alternative) => createExample(alternative, resolve))
  return values.find((value) => value !== undefined)
}

/** Whether the declaration has an example for the value or for one of its members. */
function hasDeclaredExample(schema: Schema | boolean | undefined, resolve: Resolve): boolean {
  if (typeof schema !== 'object') return false
  if (Array.isArray(schema.examples)) return true
  if (schema.$ref !== undefined) return hasDeclaredExample(resolve(schema.$ref), resolve)
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []) as readonly Schema[]
  return [...Object.values(schema.properties ?? {}), ...alternatives].some((part) => hasDeclaredExample(part, resolve))
}
