import {
  type Awaitable,
  type Condition,
  type ConditionOf,
  type Context,
  convertNative,
  type ResourceType,
  type SortTerm,
  shapeOfCondition,
  shapeOfWindow,
  type Window,
} from '#kernel/store'
import { type StoreUnit, unitOf } from '../unit.ts'
import type { RowBound } from './row-limit.ts'
import { areOpen, collectScopes, noScopes, type Scopes } from './scopes.ts'

/** A value of a statement, and its place among all values of the statement. */
export interface Slot<Value> {
  readonly index: number
  readonly value: Value
}

/** A value of a statement that is not cached. */
export function unslotted<Value>(value: Value): Slot<Value> {
  return { index: -1, value }
}

/** A condition that compares a column with values. It is a value of the statement. */
export type ColumnCondition = ConditionOf<'compare' | 'in' | 'text'>

/**
 * A statement that is about to run. Everything that its text depends on is in `shape`; the values of its parameters are in
 * slots, in the order in which they are added. Statements with the same owner and shape share one text.
 */
export class StatementBuilder {
  shape = ''
  readonly unit: StoreUnit
  readonly values: unknown[] = []
  /** The row limit of the statement. Null if it has none. */
  rowLimit: Slot<RowBound> | null = null
  readonly conditions: readonly Condition[]
  readonly scopes: Scopes

  constructor(unit: StoreUnit, conditions: readonly Condition[] = [], scopes = noScopes) {
    this.unit = unit
    this.conditions = conditions
    this.scopes = scopes
    for (const condition of conditions) this.addCondition(condition, '')
    for (const [type, visible] of scopes) {
      this.shape += `|${type.name}`
      for (const condition of visible) this.addCondition(condition, '')
    }
  }

  /** Adds a part of the statement, and its value. */
  add<Value>(part: string, value: Value): Slot<Value> {
    this.shape += `|${part}`
    return { index: this.values.push(value) - 1, value }
  }

  /** Adds a part of the statement, and several values. */
  addAll<Value>(part: string, values: readonly Value[]): readonly Slot<Value>[] {
    this.shape += `|${part}`
    const slots: Slot<Value>[] = []
    for (const value of values) slots.push({ index: this.values.push(value) - 1, value })
    return slots
  }

  /** Adds a list of keys. A single key is compared in another way than several. */
  addKeys(part: string, keys: readonly unknown[]): Slot<readonly unknown[]> {
    return this.add(`${part}${keys.length === 1 ? ' one' : ''}`, keys)
  }

  /** Adds a condition. */
  addCondition(condition: Condition, part: string): void {
    const { values } = this
    const added = values.length
    this.shape += `|${part} ${shapeOfCondition(condition, values)}`
    // A predicate is read from its first slot: which predicates are the same object is part of the shape.
    for (let index = added; index < values.length; index++) {
      const first = values.indexOf(values[index])
      if (first < index) this.shape += `|${index}=${first}`
    }
  }

  /** Limits the rows of the statement. */
  limitRows(bound: RowBound | null): this {
    this.rowLimit = bound && this.add('rows', bound)
    return this
  }

  /** Adds the order of the rows and the window that is read. */
  addPage(terms: readonly SortTerm[], window: Window | null): Slot<Window> | null {
    this.shape += '|'
    for (const { property, pivot, descending } of terms) {
      this.shape += `${property}${pivot ? ' pivot' : ''}${descending ? '-' : '+'}`
    }
    return window && this.add(shapeOfWindow(window), window)
  }
}

/** Creates a statement about the rows of a type, with the scopes of all types that it reads. */
export function createStatement(
  type: ResourceType,
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
  addressed?: readonly ResourceType[],
): Awaitable<StatementBuilder> {
  const unit = unitOf(context)
  if (conditions.length === 0 && areOpen(types, unit.orm)) return new StatementBuilder(unit, conditions)
  const where = conditions.map((condition) => convertNative(condition, type.shape))
  const scopes = collectScopes(types, where, context, addressed)
  return scopes instanceof Promise
    ? scopes.then((resolved) => new StatementBuilder(unit, where, resolved))
    : new StatementBuilder(unit, where, scopes)
}

/** Runs a statement when its scopes are resolved: immediately, if no scope is a promise. */
export function whenResolved<T>(
  pending: Awaitable<StatementBuilder>,
  run: (statement: StatementBuilder) => Promise<T>,
): Promise<T> {
  return pending instanceof StatementBuilder ? run(pending) : pending.then(run)
}
