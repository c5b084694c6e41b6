import type { Caller } from '#kernel/plugin'
import type { Shape } from './shape.ts'

/** What the words of a field demand of its value. */
export interface Rules {
  /** When the member must be there, and not be empty. */
  required?: Moment
  nullable?: boolean
  in?: readonly (string | number)[]
  notIn?: readonly (string | number)[]
  /** Of values that are an enumeration: what programs call them, and what they mean. */
  enumeration?: Enumeration
  format?: Format
  patterns?: readonly RegExp[]
  minLength?: number
  maxLength?: number
  min?: number
  max?: number
  exclusiveMin?: number
  exclusiveMax?: number
  multipleOf?: number
  before?: Bound
  after?: Bound
  between?: readonly [from: Bound, to: Bound]
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  each?: Rules
  minProperties?: number
  maxProperties?: number
  shapes?: readonly Shape[]
  compared?: readonly { readonly field: string; readonly comparison: ComparisonName }[]
  /** The fields whose values no two resources have in common. */
  uniqueEntity?: readonly string[]
  parts?: readonly Part[]
  /** Words that are no rules, said where only rules may be said. */
  strangers?: readonly string[]
}

export interface Enumeration {
  readonly names: readonly string[]
  readonly meanings: Readonly<Record<string, string>>
}

export type Moment = 'always' | 'onCreate' | 'onUpdate'

/** Further rules, and how they count. */
export type Part =
  | { readonly kind: 'moment'; readonly moment: Moment; readonly rules: Rules }
  | { readonly kind: 'when'; readonly condition: WhenCondition; readonly rules: Rules }
  | { readonly kind: 'all' | 'inTurn' | 'any'; readonly choices: readonly Rules[] }

export type WhenCondition = (value: unknown, caller: Caller | null) => boolean

/** A date or time, or what makes one when it is needed. */
export type Bound = string | Date | (() => string | Date)

export type Format =
  | { readonly kind: 'email'; readonly strict: boolean }
  | { readonly kind: 'url'; readonly schemes: readonly string[] }
  | { readonly kind: 'uuid'; readonly version?: UuidVersion }
  | { readonly kind: 'slug'; readonly pattern?: RegExp }
  | { readonly kind: 'ip'; readonly version: IpVersion }

export type UuidVersion = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

export type IpVersion = 'v4' | 'v6' | 'both'

export type ComparisonName =
  | 'EqualTo'
  | 'NotEqualTo'
  | 'GreaterThan'
  | 'GreaterThanOrEqual'
  | 'LessThan'
  | 'LessThanOrEqual'
