import { phrase, queryParamMalformed } from '#kernel/errors'
import { countCodePoints } from '#kernel/plugin'
import type { Condition, ParamValue } from '#kernel/queries'
import type { FilterReading } from '#plugins/filtering/index.ts'
import { checkQueryLimit, listLimit } from '#query'
import { filterExpressionInvalid } from './errors.ts'
import { measure } from './expression.ts'
import { parseExpression } from './parse.ts'
import { type Report, toCondition } from './to-condition.ts'

/** Reads an expression into a condition. Returns undefined if it has faults. */
export function readExpression(
  value: ParamValue,
  { type, query, queryContext, key, parameter }: FilterReading,
): Condition | undefined {
  const source = { source: { parameter } }
  if (typeof value !== 'string') {
    query.faults.push(queryParamMalformed({ parameter, expected: phrase('an expression') }, source))
    return undefined
  }
  const checkLimit = (list: Parameters<typeof checkQueryLimit>[0], count: number, variable: string) =>
    checkQueryLimit(list, count, listLimit(queryContext, variable), parameter)
  checkLimit('characters', countCodePoints(value), 'MAX_FILTER_EXPRESSION_LENGTH')
  const report: Report = (at, error, context) => {
    const character = countCodePoints(value.slice(0, at)) + 1
    query.faults.push(error({ filter: key, ...context(character) }, { ...source, meta: { character } }))
  }
  const parsed = parseExpression(value)
  if ('reason' in parsed) {
    const { at, reason } = parsed
    report(at, filterExpressionInvalid, (character) => ({ character, reason }))
    return undefined
  }
  const { terms, depth, hops, values } = measure(parsed)
  checkLimit('terms', terms, 'MAX_FILTER_EXPRESSION_TERMS')
  checkLimit('levels', depth, 'MAX_FILTER_EXPRESSION_DEPTH')
  checkLimit('relations in a row', hops, 'MAX_FILTER_EXPRESSION_HOPS')
  checkLimit('filter values', values, 'MAX_FILTER_VALUES')
  return toCondition(parsed, type, { server: queryContext.server, visibility: query.visibility, report })
}
