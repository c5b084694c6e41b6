import type { Relation } from './field.ts'
import type { RowFilter } from './store-types.ts'

export type Comparison = '=' | '!=' | '>' | '>=' | '<' | '<='

/** A tree of conditions on the rows of one type. The store compiles it to SQL, the memory provider evaluates it. */
export type Condition = AnyCondition & {
  /** The function of the application that returned the condition, for the log of an error: `LabelPolicy.scope`. */
  readonly declaredBy?: string
}

type AnyCondition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | { readonly kind: 'compare'; readonly property: string; readonly operator: Comparison; readonly value: unknown }
  | { readonly kind: 'in'; readonly property: string; readonly values: readonly unknown[] }
  | { readonly kind: 'null'; readonly property: string }
  /** Case-insensitive for ASCII letters; `%` and `_` are ordinary characters. */
  | {
      readonly kind: 'text'
      readonly property: string
      readonly match: 'contains' | 'starts' | 'ends'
      readonly text: string
    }
  /** A related row within the scope of its type meets the condition. */
  | { readonly kind: 'exists'; readonly relation: Relation; readonly condition?: Condition }
  /** The pivot row of a member meets the condition. Only in a query of a many-to-many relation. */
  | { readonly kind: 'pivot'; readonly condition: Condition }
  /** A filter in the language of the store. */
  | { readonly kind: 'native'; readonly filter: RowFilter<object> }
  | { readonly kind: 'never' }

export const all = (...conditions: readonly Condition[]): Condition => ({ kind: 'and', conditions })
export const any = (...conditions: readonly Condition[]): Condition => ({ kind: 'or', conditions })
export const not = (condition: Condition): Condition => ({ kind: 'not', condition })
export const compare = (property: string, operator: Comparison, value: unknown): Condition => ({
  kind: 'compare',
  property,
  operator,
  value,
})
export const isIn = (property: string, values: readonly unknown[]): Condition => ({ kind: 'in', property, values })
export const isNull = (property: string): Condition => ({ kind: 'null', property })
export const textMatch = (property: string, match: 'contains' | 'starts' | 'ends', text: string): Condition => ({
  kind: 'text',
  property,
  match,
  text,
})
export const exists = (relation: Relation, condition?: Condition): Condition =>
  condition ? { kind: 'exists', relation, condition } : { kind: 'exists', relation }
export const ofPivot = (condition: Condition): Condition => ({ kind: 'pivot', condition })
export const native = <Entity extends object>(filter: RowFilter<Entity>, declaredBy?: string): Condition => ({
  kind: 'native',
  filter: filter as RowFilter<object>,
  ...(declaredBy !== undefined && { declaredBy }),
})
export const never: Condition = { kind: 'never' }

type KindOf<Kind, Member> = Member extends { readonly kind: infer Held } ? (Kind extends Held ? Member : never) : never

export type ConditionOf<Kind extends Condition['kind']> = Kind extends unknown ? KindOf<Kind, Condition> : never

/** One function per kind of condition: a new kind does not compile until every visitor has a function for it. */
export type ConditionVisitor<Result, Argument = void> = {
  readonly [Kind in Condition['kind']]: (condition: ConditionOf<Kind>, argument: Argument) => Result
}

export function visitCondition<Result, Argument>(
  condition: Condition,
  visitor: ConditionVisitor<Result, Argument>,
  argument: Argument,
): Result {
  const visit = visitor[condition.kind] as (condition: Condition, argument: Argument) => Result
  return visit(condition, argument)
}

/** Functions that return another condition for a part, or undefined for none. Parts of other kinds stay as they are. */
type ConditionMap = {
  readonly [Kind in Exclude<Condition['kind'], 'and' | 'or' | 'not'>]?: (
    part: ConditionOf<Kind>,
  ) => Condition | undefined
}

/**
 * Replaces the parts of a condition that `and`, `or` and `not` combine. Conditions inside `exists` and `pivot` stay unchanged.
 * Undefined if `replace` returns undefined for a part.
 */
export function mapCondition(condition: Condition, replace: ConditionMap): Condition | undefined {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const conditions: Condition[] = []
      for (const part of condition.conditions) {
        const replaced = mapCondition(part, replace)
        if (!replaced) return undefined
        conditions.push(replaced)
      }
      return { ...condition, conditions }
    }
    case 'not': {
      const replaced = mapCondition(condition.condition, replace)
      return replaced && { ...condition, condition: replaced }
    }
    default: {
      const map = replace[condition.kind] as ((part: Condition) => Condition | undefined) | undefined
      return map ? map(condition) : condition
    }
  }
}

/** The functions of the application that returned a condition, or conditions inside it. */
export function declaredNames(conditions: readonly Condition[]): readonly string[] {
  const names = new Set<string>()
  for (const condition of conditions) {
    everyCondition(condition, ({ declaredBy }) => {
      if (declaredBy !== undefined) names.add(declaredBy)
      return true
    })
  }
  return [...names]
}

/** Whether a condition and all conditions inside it pass the test. */
export function everyCondition(condition: Condition, test: (condition: Condition) => boolean): boolean {
  if (!test(condition)) return false
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.every((part) => everyCondition(part, test))
    case 'not':
    case 'pivot':
      return everyCondition(condition.condition, test)
    case 'exists':
      return condition.condition === undefined || everyCondition(condition.condition, test)
    case 'compare':
    case 'in':
    case 'null':
    case 'text':
    case 'native':
    case 'never':
      return true
  }
}
