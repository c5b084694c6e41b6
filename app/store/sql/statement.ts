import {
  type Awaitable,
  type Condition,
  type ConditionOf,
  type ConditionVisitor,
  type Context,
  type Keyset,
  type ResourceType,
  type SortTerm,
  visitCondition,
  type Window,
} from '#kernel/store'
import { unitOf } from '../unit.ts'
import { convertColumnFilters } from './orm-filter.ts'
import type { RowBound } from './row-limit.ts'
import { areOpen, noScopes, resolveScopes, type Scopes } from './scopes.ts'

/** A value of a statement, and its place among all values of the statement. */
export interface Slot<Value> {
  readonly index: number
  readonly value: Value
}

/** A value of a statement that is not cached. */
export function unslotted<Value>(value: Value): Slot<Value> {
  return { index: -1, value }
}

/** A condition that compares a column with values, which are in a slot of the statement. */
export type Predicate = ConditionOf<'compare' | 'in' | 'text'> & { readonly slot?: number }

/**
 * A statement that is about to run. Everything that its text depends on is in `shape`; the values of its parameters are in
 * slots, in the order in which they are added. Statements with the same owner and shape share one text.
 */
export class Statement {
  shape = ''
  readonly values: unknown[] = []
  /** The row limit of the statement. Null if it has none. */
  rowLimit: Slot<RowBound> | null = null
  readonly conditions: readonly Condition[]
  readonly scopes: Scopes

  constructor(conditions: readonly Condition[], scopes: Scopes) {
    this.conditions = conditions
    this.scopes = scopes
    for (const condition of conditions) this.shape += `${shapeOf(condition, this.values)} `
    for (const [type, visible] of scopes) {
      this.shape += `|${type.name} `
      for (const condition of visible) this.shape += `${shapeOf(condition, this.values)} `
    }
  }

  /** Adds a part of the statement, and its value. */
  add<Value>(part: string, value: Value): Slot<Value> {
    this.shape += `|${part}`
    return { index: this.values.push(value) - 1, value }
  }

  /** Adds a list of keys. A single key is compared in another way than several. */
  addKeys(part: string, keys: readonly unknown[]): Slot<readonly unknown[]> {
    return this.add(`${part}${keys.length === 1 ? ' one' : ''}`, keys)
  }

  /** Adds a condition. The function that is returned creates the condition to compile. */
  addCondition(condition: Condition, part: string): () => Condition {
    const first = this.values.length
    this.shape += `|${part} ${shapeOf(condition, this.values)}`
    return () => withSlots(condition, { next: first })
  }

  /** Adds the row limit of the statement. */
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

  /** The conditions and scopes to compile. */
  get slotted(): { readonly where: readonly Condition[]; readonly scopes: Scopes } {
    const slots = { next: 0 }
    const where = this.conditions.map((condition) => withSlots(condition, slots))
    const scopes = [...this.scopes].map(
      ([type, visible]) => [type, visible.map((condition) => withSlots(condition, slots))] as const,
    )
    return { where, scopes: new Map(scopes) }
  }
}

/** Creates a statement about the rows of a type, with the scopes of all types that it reads. */
export function createStatement(
  type: ResourceType,
  types: readonly ResourceType[],
  conditions: readonly Condition[],
  context: Context,
  addressed?: readonly ResourceType[],
): Awaitable<Statement> {
  const { orm } = unitOf(context)
  if (conditions.length === 0 && areOpen(types, orm)) return new Statement(conditions, noScopes)
  const where = convertColumnFilters(conditions, type, orm)
  return resolveScopes(types, where, context, addressed).then((scopes) => new Statement(where, scopes))
}

/** A boundary is written differently for null, so the null values are part of the shape. */
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

/** Returns the shape of a condition, and adds its predicates, which hold values, to the values of the statement. */
function shapeOf(condition: Condition, values: unknown[]): string {
  switch (condition.kind) {
    case 'compare':
      values.push(condition)
      return `${condition.property} ${condition.operator}`
    case 'in':
      values.push(condition)
      return `${condition.property} in ${Math.min(condition.values.length, 2)}`
    case 'text':
      values.push(condition)
      return `${condition.property} ${condition.match}`
    case 'null':
      return `${condition.property} null`
    case 'and':
    case 'or':
      return `${condition.kind}(${shapeOfEach(condition.conditions, values)})`
    case 'not':
    case 'pivot':
      return `${condition.kind}(${shapeOf(condition.condition, values)})`
    case 'exists': {
      const { relation, condition: inner } = condition
      return `${relation.owner.name}.${relation.name}(${inner ? shapeOf(inner, values) : ''})`
    }
    case 'native':
    case 'never':
      return condition.kind
  }
}

function shapeOfEach(conditions: readonly Condition[], values: unknown[]): string {
  let shape = ''
  for (const condition of conditions) shape += `${shapeOf(condition, values)},`
  return shape
}

interface Slots {
  next: number
}

/** A copy of the condition whose predicates know their slots: `shapeOf` adds them in the same order. */
function withSlots(condition: Condition, slots: Slots): Condition {
  return visitCondition(condition, slotted, slots)
}

const takeSlot = (condition: Predicate, slots: Slots): Predicate => ({ ...condition, slot: slots.next++ })
const slotEach = (conditions: readonly Condition[], slots: Slots) => conditions.map((one) => withSlots(one, slots))
const unchanged = (condition: Condition) => condition

const slotted: ConditionVisitor<Condition, Slots> = {
  and: (condition, slots) => ({ ...condition, conditions: slotEach(condition.conditions, slots) }),
  or: (condition, slots) => ({ ...condition, conditions: slotEach(condition.conditions, slots) }),
  not: (condition, slots) => ({ ...condition, condition: withSlots(condition.condition, slots) }),
  pivot: (condition, slots) => ({ ...condition, condition: withSlots(condition.condition, slots) }),
  exists: (condition, slots) =>
    condition.condition ? { ...condition, condition: withSlots(condition.condition, slots) } : condition,
  in: takeSlot,
  compare: takeSlot,
  text: takeSlot,
  null: unchanged,
  native: unchanged,
  never: unchanged,
}
