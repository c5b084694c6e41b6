import type { Awaitable, Condition, Context, Keyset, ResourceType, SortTerm, Window } from '#kernel/store'
import { unitOf } from '../unit.ts'
import { toPlain } from './orm-filter.ts'
import type { RowBound } from './row-limit.ts'
import { areOpen, resolveScopes, type Scopes } from './scopes.ts'

/**
 * What a statement is asked with, apart: `shape` says all that its text depends on, and is the same for all that differ
 * in their values only; `things` are the objects that hold the values.
 */
export class StatementKey {
  shape = ''
  readonly sources: object[] = []
  /** The most rows the statement returns; null when its text has no limit for them. */
  bound: RowBound | null = null
  readonly where: readonly Condition[]
  readonly scopes: Scopes

  constructor(where: readonly Condition[], scopes: Scopes) {
    this.where = where
    this.scopes = scopes
    for (const condition of where) this.shape += `${shapeOf(condition, this.sources)} `
    for (const [type, conditions] of scopes) {
      this.shape += `|${type.name} `
      for (const condition of conditions) this.shape += `${shapeOf(condition, this.sources)} `
    }
  }

  /** What is asked, and a thing with values for it. */
  about(what: string, thing: object): this {
    this.shape += `|${what}`
    this.sources.push(thing)
    return this
  }

  /** The same for keys; a single one is asked for in another way than several. */
  of(what: string, keys: readonly unknown[]): this {
    return this.about(`${what}${keys.length === 1 ? ' one' : ''}`, keys)
  }

  those(condition: Condition, what: string): this {
    this.shape += `|${what} ${shapeOf(condition, this.sources)}`
    return this
  }

  /** Adds a limit for the rows of the whole statement. */
  atMost(bound: RowBound | null): this {
    this.bound = bound
    return bound ? this.about('rows', bound) : this
  }

  /** The order of the rows, and the part of them that is read. */
  page(terms: readonly SortTerm[], window: Window | null): this {
    this.shape += '|'
    for (const { property, pivot, descending } of terms) {
      this.shape += `${property}${pivot ? ' pivot' : ''}${descending ? '-' : '+'}`
    }
    if (window) this.about(shapeOfWindow(window), window)
    return this
  }
}

/** Begins with who may see what: the scope of every type that the statement touches has a part in it. */
export function createStatementKey(
  type: ResourceType,
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
  addressed?: ResourceType,
): Awaitable<StatementKey> {
  const where = toPlain(conditions, type, unitOf(context).orm)
  if (areOpen(types, where, context, addressed)) return new StatementKey(where, open)
  const scopes = resolveScopes(types, where, context, addressed)
  return scopes instanceof Promise
    ? scopes.then((resolved) => new StatementKey(where, resolved))
    : new StatementKey(where, scopes)
}

const open: Scopes = new Map()

/** Which of the values are null says how a boundary is written. */
function shapeOfWindow({ limit, offset, keyset }: Window): string {
  const shape = `${limit === null ? '' : 'limit '}${offset > 0 ? 'offset ' : ''}`
  if (!keyset) return shape
  return `${shape}keyset ${shapeOfBoundary(keyset, keyset.after)}/${shapeOfBoundary(keyset, keyset.before)}`
}

function shapeOfBoundary({ terms }: Keyset, values: readonly unknown[] | undefined): string {
  let shape = ''
  if (values) for (let index = 0; index < terms.length; index++) shape += values[index] == null ? 'n' : 'v'
  return shape
}

function shapeOf(condition: Condition, things: object[]): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return `${condition.kind}(${condition.conditions.map((part) => shapeOf(part, things)).join()})`
    case 'not':
    case 'pivot':
      return `${condition.kind}(${shapeOf(condition.condition, things)})`
    case 'exists': {
      const { relation, condition: inner } = condition
      return `${relation.owner.name}.${relation.name}(${inner ? shapeOf(inner, things) : ''})`
    }
    case 'in':
      things.push(condition)
      return `${condition.property} in ${Math.min(condition.values.length, 2)}`
    case 'compare':
      things.push(condition)
      return `${condition.property} ${condition.operator}`
    case 'text':
      things.push(condition)
      return `${condition.property} ${condition.match}`
    case 'null':
      return `${condition.property} null`
    case 'never':
    case 'native':
      return condition.kind
  }
}
