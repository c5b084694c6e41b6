import {
  type Awaitable,
  type Condition,
  type ConditionVisitor,
  type Context,
  isThenable,
  type Keyset,
  type ResourceType,
  type SortTerm,
  visitCondition,
  type Window,
} from '#kernel/store'
import { unitOf } from '../unit.ts'
import { convertColumnFilters } from './orm-filter.ts'
import type { RowBound } from './row-limit.ts'
import { resolveScopes, type Scopes } from './scopes.ts'

/**
 * The cache key of a statement, and the values it is run with. Everything that the text of the statement depends on is in
 * `shape`; the `sources` are the objects that its parameters are read from.
 */
export class StatementKey {
  shape = ''
  readonly sources: object[] = []
  /** The row limit of the statement. Null if it has none. */
  rowLimit: RowBound | null = null
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

  /** Adds a part of the statement, and the object that holds its values. */
  add(part: string, source: object): this {
    this.shape += `|${part}`
    this.sources.push(source)
    return this
  }

  /** Adds a list of keys. A single key is compared in another way than several. */
  addKeys(part: string, keys: readonly unknown[]): this {
    return this.add(`${part}${keys.length === 1 ? ' one' : ''}`, keys)
  }

  addCondition(condition: Condition, part: string): this {
    this.shape += `|${part} ${shapeOf(condition, this.sources)}`
    return this
  }

  /** Adds the row limit of the statement. */
  limitRows(bound: RowBound | null): this {
    this.rowLimit = bound
    return bound ? this.add('rows', bound) : this
  }

  /** Adds the order of the rows and the window that is read. */
  addPage(terms: readonly SortTerm[], window: Window | null): this {
    this.shape += '|'
    for (const { property, pivot, descending } of terms) {
      this.shape += `${property}${pivot ? ' pivot' : ''}${descending ? '-' : '+'}`
    }
    if (window) this.add(shapeOfWindow(window), window)
    return this
  }
}

/** Creates the key of a statement about the rows of a type, with the scopes of all types that the statement reads. */
export function createStatementKey(
  type: ResourceType,
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
  addressed?: readonly ResourceType[],
): Awaitable<StatementKey> {
  const where = conditions.length > 0 ? convertColumnFilters(conditions, type, unitOf(context).orm) : conditions
  const scopes = resolveScopes(types, where, context, addressed)
  if (!isThenable(scopes)) return new StatementKey(where, scopes)
  return scopes.then((resolved) => new StatementKey(where, resolved))
}

/** A boundary is written differently for null, so the null values are part of the key. */
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

/** Returns the part of the key for a condition, and adds the conditions that hold values to the sources. */
function shapeOf(condition: Condition, sources: object[]): string {
  return visitCondition(condition, shapes, sources)
}

const shapes: ConditionVisitor<string, object[]> = {
  and: ({ conditions }, sources) => `and(${shapeOfEach(conditions, sources)})`,
  or: ({ conditions }, sources) => `or(${shapeOfEach(conditions, sources)})`,
  not: ({ condition }, sources) => `not(${shapeOf(condition, sources)})`,
  pivot: ({ condition }, sources) => `pivot(${shapeOf(condition, sources)})`,
  exists: ({ relation, condition }, sources) =>
    `${relation.owner.name}.${relation.name}(${condition ? shapeOf(condition, sources) : ''})`,
  in: (condition, sources) => {
    sources.push(condition)
    return `${condition.property} in ${Math.min(condition.values.length, 2)}`
  },
  compare: (condition, sources) => {
    sources.push(condition)
    return `${condition.property} ${condition.operator}`
  },
  text: (condition, sources) => {
    sources.push(condition)
    return `${condition.property} ${condition.match}`
  },
  null: ({ property }) => `${property} null`,
  native: () => 'native',
  never: () => 'never',
}

function shapeOfEach(conditions: readonly Condition[], sources: object[]): string {
  return conditions.map((condition) => shapeOf(condition, sources)).join()
}
