import { acceptedNames, type ErrorContext, type ErrorFactory, type Phrase, phrase } from '#kernel/errors'
import type { ResourceType, Server, Visibility } from '#kernel/plugin'
import { all, any, type Condition, compare, exists, isIn, isNull, not, servesTarget, textMatch } from '#kernel/queries'
import { filterValueInvalid } from '#plugins/filtering/index.ts'
import { filterExpressionInvalid, filterExpressionNameUnrecognized } from './errors.ts'
import type { Comparison, Expression, Has, Name } from './expression.ts'
import { type FilterableAttribute, type FilterableRelation, findFilterable } from './filterable.ts'
import { convertValue } from './values.ts'

/** What the names of an expression mean to the requester, and where its faults go. */
export interface NameScope {
  readonly server: Server
  readonly visibility: Visibility | null
  report: Report
}

/** Adds a fault at the index of a character. */
export type Report = (at: number, error: ErrorFactory, context: (character: number) => ErrorContext) => void

/** Returns the condition of an expression on rows of a type; undefined if it has faults, which are reported. */
export function toCondition(expression: Expression, type: ResourceType, scope: NameScope): Condition | undefined {
  switch (expression.kind) {
    case 'comparison':
      return comparisonCondition(expression, type, scope)
    case 'has':
      return hasCondition(expression, type, scope)
    case 'not': {
      const condition = toCondition(expression.part, type, scope)
      return condition && not(condition)
    }
    default: {
      const parts = expression.parts.map((part) => toCondition(part, type, scope))
      const valid = parts.filter((part) => part !== undefined)
      if (valid.length < parts.length) return undefined
      return expression.kind === 'and' ? all(...valid) : any(...valid)
    }
  }
}

function hasCondition({ relation: name, part }: Has, type: ResourceType, scope: NameScope): Condition | undefined {
  const relation = findRelation(name, type, scope)
  if (!relation) return undefined
  if (!part) return exists(relation)
  const condition = toCondition(part, relation.target, scope)
  return condition && exists(relation, condition)
}

/** Requires a row at the end of the path. Each EXISTS applies the scope of its type. */
function comparisonCondition(
  { path, ...comparison }: Comparison,
  type: ResourceType,
  scope: NameScope,
): Condition | undefined {
  const dot = path.text.indexOf('.')
  if (dot < 0) return attributeCondition({ path, ...comparison }, type, scope)
  const name = { text: path.text.slice(0, dot), at: path.at }
  const relation = findRelation(name, type, scope)
  if (!relation) return undefined
  if (relation.toMany) {
    const reason = phrase("'{relation}' is to-many; accepted: has({relation}, …).", { relation: name.text })
    return reportInvalid(name.at, reason, scope)
  }
  const rest = { text: path.text.slice(dot + 1), at: path.at + dot + 1 }
  const condition = comparisonCondition({ path: rest, ...comparison }, relation.target, scope)
  return condition && exists(relation, condition)
}

function attributeCondition(comparison: Comparison, type: ResourceType, scope: NameScope): Condition | undefined {
  const { path, operator, values, at } = comparison
  const filterable = findAttribute(path, type, scope)
  if (!filterable) return undefined
  const { kind, property } = filterable
  if (!kind.operators.includes(operator)) {
    const accepted = acceptedNames(kind.operators, operator)
    const context = { operator, attribute: path.text, accepted }
    return reportInvalid(
      at,
      phrase("'{operator}' does not apply to '{attribute}'; accepted: {accepted}", context),
      scope,
    )
  }
  const converted = values.map((value) => convert(value, filterable, type, scope))
  if (converted.includes(undefined)) return undefined
  return propertyCondition(operator, property, converted)
}

const comparisons = { eq: '=', ne: '!=', gt: '>', ge: '>=', lt: '<', le: '<=' } as const

function propertyCondition(operator: Comparison['operator'], property: string, values: readonly unknown[]): Condition {
  switch (operator) {
    case 'null':
      return isNull(property)
    case 'in':
      return isIn(property, values)
    case 'contains':
    case 'starts':
    case 'ends':
      return textMatch(property, operator, values[0] as string)
    default:
      return compare(property, comparisons[operator], values[0])
  }
}

function convert(
  literal: Comparison['values'][number],
  filterable: FilterableAttribute,
  type: ResourceType,
  { report }: NameScope,
): unknown {
  const converted = convertValue(literal, filterable, type)
  if ('value' in converted) return converted.value
  const { fault } = converted
  report(literal.at, filterValueInvalid, (character) => ({
    reason: phrase('at character {character} {fault}', { character, fault }),
  }))
  return undefined
}

function findAttribute(name: Name, type: ResourceType, scope: NameScope): FilterableAttribute | undefined {
  const { attributes } = findFilterable(type)
  return findName(name, attributes, ({ isExposed }) => isExposed(scope.visibility), anAttribute, type, scope)
}

function findRelation(name: Name, type: ResourceType, scope: NameScope) {
  const { relations } = findFilterable(type)
  const isAccepted = ({ relation, isExposed }: FilterableRelation) =>
    isExposed(scope.visibility) && servesTarget(scope.server, relation)
  return findName(name, relations, isAccepted, aRelation, type, scope)?.relation
}

const anAttribute = phrase('an attribute')
const aRelation = phrase('a relation')

/** Reports a name that does not exist for the requester in the same way as one that does not exist. */
function findName<Item>(
  { text: name, at }: Name,
  items: ReadonlyMap<string, Item>,
  isAccepted: (item: Item) => boolean,
  what: Phrase,
  type: ResourceType,
  { report }: NameScope,
): Item | undefined {
  const found = items.get(name)
  if (found && isAccepted(found)) return found
  const names = [...items].filter(([, item]) => isAccepted(item)).map(([accepted]) => accepted)
  report(at, filterExpressionNameUnrecognized, (character) => ({
    name,
    character,
    what,
    type: type.name,
    accepted: acceptedNames(names, name),
  }))
  return undefined
}

function reportInvalid(at: number, reason: Phrase, { report }: NameScope): undefined {
  report(at, filterExpressionInvalid, (character) => ({ character, reason }))
}
