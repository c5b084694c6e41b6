import { validationFailed } from '#kernel/errors'
import type { Attribute, EntityShape } from '#kernel/plugin'
import { chainEnd } from '#kernel/queries'
import type { DescribedAttribute, OpenApiDraft, Schema } from '#openapi'
import { rejectsNull } from './check/not-null.ts'
import { findFormat } from './compile/formats.ts'
import { storesSentValue } from './compile/kind-check.ts'
import { findFamily } from './compile/value-family.ts'
import { describeEnumeration } from './openapi/describe-enumeration.ts'
import { describeRules } from './openapi/describe-rules.ts'
import { itemType, toJsonSchema } from './openapi/json-schema.ts'

/** Adds the rules of fields to the OpenAPI document: as JSON Schema where it can express them, else as description. */
export function describeValidation(openapi: OpenApiDraft): void {
  const enumerations = new Set<string>()
  for (const described of openapi.attributes) {
    if (described.usage === 'read') describeRead(described)
    else describeWrite(described, described.usage)
    describeEnumeration(described, openapi, enumerations)
  }
  for (const linkage of openapi.linkages) {
    if (rejectsNull(linkage.relation)) linkage.nullable = false
    if (linkage.relation.options.rules?.required) linkage.required = linkage.usage === 'create'
  }
  for (const operation of openapi.operations) if (operation.body) operation.addErrors(422, validationFailed.definition)
}

/**
 * Describes only format and values: rows stored before a rule was declared may break it. A computed value is null only if
 * `nullable()` is declared.
 */
function describeRead(described: DescribedAttribute): void {
  const { attribute, schema } = described
  const { rules = {} } = attribute.options
  if (attribute.extract && attribute.property === null && !rules.nullable) described.nullable = false
  if (rules.each && schema.type === 'array') schema.items = itemType(rules.each)
  if (rules.format?.kind === 'email' && rules.format.strict) schema.format = 'email'
}

function describeWrite(described: DescribedAttribute, write: 'create' | 'update'): void {
  const { attribute, type, relation, schema } = described
  const { rules = {} } = attribute.options
  const format = rules.format ?? findFormat(attribute.kind)
  described.nullable = rules.nullable ?? false
  const isRequiredOnCreate = rules.required === 'always' || rules.required === 'onCreate'
  described.required = write === 'create' && isRequiredOnCreate
  Object.assign(
    schema,
    columnSchema(attribute, relation ? relation.pivotShape : chainEnd(type, attribute)?.shape),
    toJsonSchema(findFamily(attribute), { ...rules, ...(format && { format }) }),
  )
  if (rules.required === 'always' || (isRequiredOnCreate && write === 'create')) Object.assign(schema, nonEmpty(schema))
  const description = describeRules(rules, write)
  if (description) schema.description = [schema.description, description].filter(Boolean).join(' ')
}

/** A required value is not empty: no blank text, no list without items. */
function nonEmpty({ type, minLength = 0, minItems = 0, pattern }: Schema): Schema {
  if (type === 'array') return { minItems: Math.max(1, minItems as number) }
  if (type !== 'string') return {}
  return { minLength: Math.max(1, minLength as number), ...(pattern === undefined && { pattern: '\\S' }) }
}

/** Kinds whose format limits the length. */
const fixedLengths = new Set<Attribute['kind']>(['date', 'dateTime', 'time', 'ip'])

/** The limits of the column. */
function columnSchema(attribute: Attribute, shape: EntityShape | null | undefined): Schema {
  const { maxLength, range, values } = (attribute.property && shape?.properties.get(attribute.property)) || {}
  if (values && storesSentValue(attribute)) {
    const listed = { enum: [...values] }
    return findFamily(attribute) === 'list' ? { items: listed } : listed
  }
  switch (findFamily(attribute)) {
    case 'text':
      return maxLength === undefined || fixedLengths.has(attribute.kind) ? {} : { maxLength }
    case 'number':
      return range ? { minimum: range[0], maximum: range[1] } : {}
    default:
      return {}
  }
}
