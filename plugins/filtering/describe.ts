import { queryParamMalformed } from '#kernel/errors'
import { type Attribute, isPolymorphic, type PropertyShape } from '#kernel/plugin'
import type { DescribedOperation, OpenApiDraft, Parameter, Schema } from '#openapi'
import { type Filters, findFilters, relationFilters, resourceFilters } from './compile-filters.ts'
import type { FilterDefinition } from './declare/definition.ts'
import { filteringUnrecognized, filterValueInvalid } from './errors.ts'
import { describeFilter } from './openapi/filter-descriptions.ts'
import { valueSchema } from './openapi/value-schema.ts'
import { pivotColumn, pivotField } from './targets.ts'

/** Documents one query parameter per filter, but those that a plugin reads. */
export function describeFilters({ operations, refer }: OpenApiDraft): void {
  for (const operation of operations) {
    const { kind, parameters, relation, shows } = operation
    if (!kind) continue
    if (shows.length > 0 || !relation) operation.addErrors(400, filteringUnrecognized.definition)
    if (shows.length > 0) operation.addErrors(400, filterValueInvalid.definition)
    const filters = filtersAt(operation)
    if (!filters || (kind === 'FetchOne' && filters.size === 0)) continue
    operation.addErrors(
      400,
      filteringUnrecognized.definition,
      filterValueInvalid.definition,
      queryParamMalformed.definition,
    )
    for (const filter of filters.values()) {
      if (filter.read || (filter.isOfPrimaryData && kind === 'FetchRelationship')) continue
      parameters.push(describeParameter(filter, filterableFields(operation), findValues(filter, operation)))
    }
    if (kind === 'FetchCollection') describeSingular(operation, filters, refer)
  }
}

/** Returns the filters an operation accepts; null if it accepts none. */
function filtersAt({ kind, type, relation }: DescribedOperation): Filters | null {
  if (kind === 'FetchCollection' && type) return findFilters(type)
  if (kind === 'FetchOne' && type) return resourceFilters(type)
  if (!relation || isPolymorphic(relation)) return null
  if (kind === 'FetchRelated') return relationFilters(relation)
  return kind === 'FetchRelationship' && relation.pivotFields.length === 0 ? relationFilters(relation) : null
}

/** Returns the attributes by property, and the pivot fields as `pivot.<name>`. */
function filterableFields({ type, relation }: DescribedOperation): ReadonlyMap<string, Attribute> {
  const { attributes = [] } = relation?.target ?? type ?? {}
  return new Map([
    ...attributes.flatMap((field): [string, Attribute][] => (field.property ? [[field.property, field]] : [])),
    ...(relation?.pivotFields ?? []).map((field): [string, Attribute] => [`pivot.${field.name}`, field]),
  ])
}

/** Returns the values of the enum that a filter compares; undefined if it compares another column. */
function findValues({ target }: FilterDefinition, { type, relation }: DescribedOperation): PropertyShape['values'] {
  const pivot = pivotField(target)
  if (pivot !== null) return relation ? pivotColumn(relation, pivot)?.values : undefined
  return (relation?.target ?? type)?.shape.properties.get(target)?.values
}

function describeParameter(
  filter: FilterDefinition,
  fields: ReadonlyMap<string, Attribute>,
  values: PropertyShape['values'],
): Parameter {
  const name = `filter[${filter.key}]`
  const value = valueSchema(filter, fields.get(filter.target), values)
  const client = clientFacts(filter)
  const base = {
    name,
    in: 'query',
    description: describeFilter(filter),
    ...(client && { 'x-client': client }),
    ...(filter.default !== undefined && { allowEmptyValue: true }),
  } as const
  const defaultValue = filter.default === undefined ? {} : { default: filter.default }
  switch (filter.kind) {
    case 'range':
    case 'dateRange': {
      const schema: Schema = { type: 'object', properties: { min: value, max: value }, additionalProperties: false }
      return { ...base, style: 'deepObject', explode: true, schema: { ...schema, ...defaultValue }, example: {} }
    }
    case 'in':
    case 'idIn': {
      const schema: Schema = { type: 'array', items: value, ...defaultValue }
      return filter.delimiter === ','
        ? { ...base, style: 'form', explode: false, schema }
        : { ...base, schema: { type: 'string', ...defaultValue } }
    }
    default:
      return { ...base, schema: { ...value, ...defaultValue } }
  }
}

/** Facts for typed clients that the schema does not express; undefined if there are none. */
function clientFacts({ kind, singular, fixed }: FilterDefinition): object | undefined {
  const ignoresValue = kind === 'null' || kind === 'has' || fixed !== undefined
  return singular || ignoresValue
    ? { ...(singular && { singular }), ...(ignoresValue && { presence: true }) }
    : undefined
}

/** Adds the single-resource document to a collection with a singular filter. */
function describeSingular({ successes }: DescribedOperation, filters: Filters, refer: OpenApiDraft['refer']): void {
  const success = successes.get(200)
  if (!success?.schema?.$ref || ![...filters.values()].some(({ singular }) => singular)) return
  const documentName = success.schema.$ref
    .split('/')
    .at(-1)
    ?.replace(/Collection$/, 'Document') as string
  success.schema = { anyOf: [success.schema, refer(documentName), refer('EmptyDocument')] }
  success.description = 'The collection; with a singular filter, one resource or null.'
}
