import {
  type DescribedAttribute,
  type OpenApiDraft,
  type PropertyShape,
  type Schema,
  validationFailed,
} from '#kernel/plugin'
import { formatOf } from '../compile/formats.ts'
import { familyOf } from '../compile/joi-schemas.ts'
import type { Rules } from '../rules.ts'
import { describeValues } from './describe-enumeration.ts'
import { sayRules } from './describe-rules.ts'
import { toJsonSchema } from './json-schema.ts'

/** What the words of fields demand, as far as a schema can say it; the rest is told in the description. */
export function describeRules(openapi: OpenApiDraft): void {
  for (const described of openapi.attributes) {
    if (described.moment === 'read') describeRead(described, openapi)
    else describeWritten(described, described.moment, openapi)
  }
  for (const linkage of openapi.linkages) {
    if (!linkage.relation.options.rules?.required) continue
    linkage.nullable = false
    linkage.required = linkage.moment === 'create'
  }
  for (const operation of openapi.operations) if (operation.body) operation.fail(422, validationFailed.definition)
}

/** What is stored was valid once: only its form and its values are told. */
function describeRead(described: DescribedAttribute, openapi: OpenApiDraft): void {
  const { rules = {} } = described.attribute.options
  if (rules.format?.kind === 'email' && rules.format.strict) described.schema.format = 'email'
  describeValues(described, rules, openapi)
}

function describeWritten(described: DescribedAttribute, moment: 'create' | 'update', openapi: OpenApiDraft): void {
  const { attribute, type, relation, schema } = described
  const { rules = {} } = attribute.options
  const format = rules.format ?? formatOf(attribute.kind)
  described.nullable = rules.nullable ?? false
  // A row of an association that is there already need not be sent whole.
  const isDemanded = rules.required === 'always' || rules.required === 'onCreate'
  described.required = moment === 'create' && relation === null && isDemanded
  Object.assign(
    schema,
    columnSchema(described, (relation?.pivotShape ?? type.shape).properties),
    toJsonSchema(familyOf(attribute), { ...rules, ...(format && { format }) }),
  )
  if (rules.required === 'always' || (isDemanded && moment === 'create')) Object.assign(schema, filled(schema))
  const said = sayRules(rules, moment)
  if (said) schema.description = [schema.description, said].filter(Boolean).join(' ')
  describeValues(described, rules, openapi)
}

/** What is demanded is not empty: no blank text, no list without items. */
function filled({ type, minLength = 0, minItems = 0, pattern }: Schema): Schema {
  if (type === 'array') return { minItems: Math.max(1, minItems as number) }
  if (type !== 'string') return {}
  return { minLength: Math.max(1, minLength as number), ...(pattern === undefined && { pattern: '\\S' }) }
}

/** What the column can hold. */
function columnSchema(
  { attribute }: DescribedAttribute,
  columns: ReadonlyMap<string, PropertyShape>,
): Pick<Rules, 'maxLength'> & Schema {
  const { maxLength, range } = (attribute.property && !attribute.on && columns.get(attribute.property)) || {}
  switch (familyOf(attribute)) {
    case 'text':
      return maxLength === undefined || attribute.kind.startsWith('date') || attribute.kind === 'time'
        ? {}
        : { maxLength }
    case 'number':
      return range ? { minimum: range[0], maximum: range[1] } : {}
    default:
      return {}
  }
}
