import type { Attribute, Schema } from '#kernel/plugin'
import type { FilterDefinition, ValueRule } from '../declare/definition.ts'
import { operatorOf } from '../targets.ts'

const kinds: Readonly<Partial<Record<Attribute['kind'], Schema>>> = {
  integer: { type: 'integer' },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  uuid: { type: 'string', format: 'uuid' },
  date: { type: 'string', format: 'date' },
  dateTime: { type: 'string', format: 'date-time' },
}
const ofColumns = new Set<FilterDefinition['kind']>(['where', 'in', 'range'])
const ofTexts = new Set(['like', 'starts', 'ends'])

/** One value of a filter: what its own rules say, else what the field it looks at is. */
export function valueSchema(filter: FilterDefinition, field: Attribute | undefined): Schema {
  const ruled = filter.rules.map(ruleSchema)
  const [first, ...more] = ruled
  if (first) return more.length > 0 ? { allOf: ruled } : first
  if (filter.asBoolean) return { type: 'boolean' }
  if (filter.kind === 'dateRange')
    return {
      anyOf: [
        { type: 'string', format: 'date' },
        { type: 'string', format: 'date-time' },
      ],
    }
  const comparesText = ofTexts.has(operatorOf(filter))
  const known =
    field && ofColumns.has(filter.kind) && !comparesText && !filter.deserialize ? kinds[field.kind] : undefined
  return { ...(known ?? { type: 'string' }) }
}

/** Joi says itself what it demands. */
function ruleSchema(rule: ValueRule): Schema {
  if ('test' in rule) return { ...rule.schema }
  const standard = rule['~standard'] as { jsonSchema?: { input(options: { target: string }): Schema } }
  const { $schema, ...schema } = standard.jsonSchema?.input({ target: 'draft-2020-12' }) ?? { type: 'string' }
  return schema
}
