import { queryParamMalformed, queryTooLarge } from '#kernel/errors'
import { type App, isPolymorphic, type ResourceType, type Server } from '#kernel/plugin'
import { servesTarget } from '#kernel/queries'
import type { DescribedOperation, OpenApiDraft, Parameter } from '#openapi'
import { filterValueInvalid } from '#plugins/filtering/index.ts'
import { filterExpressionInvalid, filterExpressionNameUnrecognized } from './errors.ts'
import { type Filterable, findFilterable, hasFilterable } from './filterable.ts'

/** Documents the parameter of operations that accept expressions. */
export function describeExpressions({ app, server, operations }: OpenApiDraft, key: string): void {
  for (const operation of operations) {
    const accepts = (type: ResourceType | null) => type !== null && hasFilterable(findFilterable(type))
    const type = findFilteredType(operation)
    if (type && accepts(type)) operation.parameters.push(describeParameter(findFilterable(type), key, app, server))
    else if (!operation.shows.some(({ relations }) => relations.some(({ target }) => accepts(target)))) continue
    operation.addErrors(
      400,
      filterExpressionInvalid.definition,
      filterExpressionNameUnrecognized.definition,
      filterValueInvalid.definition,
      queryParamMalformed.definition,
      queryTooLarge.definition,
    )
  }
}

/** Returns the type of the rows that an operation filters; null if it does not filter. */
function findFilteredType({ kind, type, relation }: DescribedOperation): ResourceType | null {
  if (kind === 'FetchCollection') return type
  if (!relation || isPolymorphic(relation)) return null
  return kind === 'FetchRelated' || (kind === 'FetchRelationship' && relation.pivotFields.length === 0)
    ? relation.target
    : null
}

function describeParameter(
  { attributes, relations }: Filterable,
  key: string,
  { config }: App,
  server: Server,
): Parameter {
  const operators = [...attributes].map(([name, { kind }]) => [name, kind.operators] as const)
  const followed = [...relations.values()].filter(({ relation }) => servesTarget(server, relation))
  const maxLength = Number(config.variables.MAX_FILTER_EXPRESSION_LENGTH)
  const listed = operators.map(([name, accepted]) => `- \`${name}\`: ${accepted.join(', ')}`)
  const has = followed.map(({ relation: { name, target } }) => `- \`${name}\` (${target.name}): has`)
  return {
    name: `filter[${key}]`,
    in: 'query',
    description: [
      "An expression: `and(…)`, `or(…)`, `not(…)`, `has(relation, …)`, or an operator with the name of an attribute and a value, such as `eq(name, 'value')`. Names and operators:",
      [...listed, ...has].join('\n'),
    ].join('\n\n'),
    schema: { type: 'string', ...(maxLength > 0 && { maxLength }) },
    'x-filterable': {
      attributes: Object.fromEntries(operators),
      relations: followed.map(({ relation }) => relation.name),
    },
  }
}
