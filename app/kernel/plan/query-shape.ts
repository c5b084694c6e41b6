import type { Include, Query, Window } from '../data/query.ts'
import type { SortTerm } from '../schema/columns.ts'
import type { Condition } from '../schema/condition.ts'

/**
 * Returns everything of a query that its plan depends on: names, and the classes of values that change a statement, such as
 * one key or several. Values themselves are not part of it. An include that is a function of the rows is part of no plan.
 */
export function shapeOfQuery(query: Query): string {
  const { fields, needs, where, sort, window, paginator, related, include } = query
  let shape = `${query.types.length > 1 ? query.types.map(({ name }) => name).join() : query.type.name}`
  for (const [type, names] of fields) shape += `&fields ${type}=${[...names].sort().join()}`
  if (query.includeRequested || typeof include === 'function' || include.length > 0) {
    shape += `&include${query.includeRequested ? '!' : ''} ${shapeOfInclude(include)}`
  }
  for (const [type, names] of needs) shape += `&needs ${type.name}=${names.join()}`
  for (const condition of where) shape += `&where ${shapeOfCondition(condition)}`
  if (sort.length > 0) shape += `&sort ${sort.map(shapeOfTerm).join()}`
  if (window) shape += `&page ${paginator?.kind} ${shapeOfWindow(window)}`
  if (query.single) shape += '&single'
  if (query.count) shape += '&count'
  for (const { name } of query.counts) shape += `&counts ${name}`
  for (const [relation, { where: conditions, terms }] of related) {
    shape += `&related ${relation.name} ${conditions.map((part) => shapeOfCondition(part)).join()} ${terms.map(shapeOfTerm).join()}`
  }
  return query.profiles.length > 0 ? `${shape}&profiles ${query.profiles.join()}` : shape
}

function shapeOfInclude(include: Include): string {
  if (typeof include === 'function') return '()'
  return include
    .map(({ relation, children }) => `${relation.owner.name}.${relation.name}(${shapeOfInclude(children)})`)
    .join()
}

function shapeOfTerm({ property, pivot, descending, custom }: SortTerm): string {
  return `${pivot ? 'pivot ' : ''}${custom ? 'custom ' : ''}${property}${descending ? '-' : '+'}`
}

/** The boundary of a cursor is compared in another way where it is null. */
export function shapeOfWindow({ limit, offset, probe, keyset }: Window): string {
  const shape = `${limit === null ? 'all' : limit === 0 ? 'none' : 'limit'}${offset > 0 ? ' offset' : ''}${probe ? ' probe' : ''}`
  if (!keyset) return shape
  const boundary = (values: readonly unknown[] | undefined) =>
    values ? keyset.terms.map((_, index) => (values[index] == null ? 'n' : 'v')).join('') : ''
  return `${shape} ${keyset.terms.map(shapeOfTerm).join()} ${boundary(keyset.after)}/${boundary(keyset.before)}`
}

/** Returns the shape of a condition. Adds each condition that compares a column with values to `predicates`, in their order. */
export function shapeOfCondition(condition: Condition, predicates?: unknown[]): string {
  switch (condition.kind) {
    case 'compare':
      predicates?.push(condition)
      return `${condition.property} ${condition.operator}`
    case 'in':
      predicates?.push(condition)
      return `${condition.property} in ${Math.min(condition.values.length, 2)}`
    case 'text':
      predicates?.push(condition)
      return `${condition.property} ${condition.match}`
    case 'null':
      return `${condition.property} null`
    case 'and':
    case 'or':
      return `${condition.kind}(${condition.conditions.map((part) => shapeOfCondition(part, predicates)).join()})`
    case 'not':
    case 'pivot':
      return `${condition.kind}(${shapeOfCondition(condition.condition, predicates)})`
    case 'exists': {
      const { relation, condition: inner } = condition
      return `${relation.owner.name}.${relation.name}(${inner ? shapeOfCondition(inner, predicates) : ''})`
    }
    case 'native':
    case 'never':
      return condition.kind
  }
}
