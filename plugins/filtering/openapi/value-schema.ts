import type { Attribute, PropertyShape } from '#kernel/plugin'
import type { Schema } from '#openapi'
import type { FilterDefinition, ValueRule } from '../declare/definition.ts'
import { findOperator } from '../targets.ts'

const schemasByKind: Readonly<Partial<Record<Attribute['kind'], Schema>>> = {
  integer: { type: 'integer' },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  uuid: { type: 'string', format: 'uuid' },
  date: { type: 'string', format: 'date' },
  dateTime: { type: 'string', format: 'date-time' },
}
const columnKinds = new Set<FilterDefinition['kind']>(['where', 'in', 'range'])
const textOperators = new Set(['like', 'starts', 'ends'])

/** Returns the schema of one value: from the rules of the filter, else from the field or the enum it compares. */
export function valueSchema(
  filter: FilterDefinition,
  field: Attribute | undefined,
  values: PropertyShape['values'],
): Schema {
  const schemas = filter.rules.map(ruleSchema)
  const [first, ...others] = schemas
  if (first) return others.length > 0 ? { allOf: schemas } : first
  if (filter.asBoolean) return { type: 'boolean' }
  if (filter.kind === 'dateRange')
    return {
      anyOf: [
        { type: 'string', format: 'date' },
        { type: 'string', format: 'date-time' },
      ],
    }
  const comparesColumn = columnKinds.has(filter.kind) && !textOperators.has(findOperator(filter)) && !filter.deserialize
  if (values && comparesColumn) return { type: typeof values[0] === 'number' ? 'number' : 'string', enum: values }
  return { ...((field && comparesColumn && schemasByKind[field.kind]) || { type: 'string' }) }
}

/** Converts a Joi rule by the JSON Schema export of Joi. */
function ruleSchema(rule: ValueRule): Schema {
  if ('test' in rule) return { ...rule.schema }
  const standard = rule['~standard'] as { jsonSchema?: { input(options: { target: string }): Schema } }
  const { $schema, ...schema } = standard.jsonSchema?.input({ target: 'draft-2020-12' }) ?? { type: 'string' }
  return schema
}
