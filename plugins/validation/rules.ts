import type { Awaitable, Caller } from '#kernel/plugin'
import type { Shape } from './shape.ts'

/** The validation rules of one field, collected from its modifiers. */
export interface Rules {
  /** The writes on which the member must have a value that is not empty. */
  required?: 'always' | WriteTiming
  nullable?: boolean
  in?: readonly (string | number)[]
  notIn?: readonly (string | number)[]
  /** Names and meanings of the values in `in`, for the OpenAPI document. */
  enumeration?: Enumeration
  /** The name of the enumeration in the OpenAPI document. */
  enumName?: string
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
  comparisons?: readonly { readonly field: string; readonly comparison: ComparisonName }[]
  /** The fields whose combined values must be unique among the resources of the type. */
  uniqueEntity?: readonly string[]
  /** Rules of the application. */
  customRules?: readonly CustomRule[]
  parts?: readonly RulePart[]
  /** Names in a rule callback that are not validation rules; a boot fault. */
  unknownRules?: readonly string[]
  /** Sentences about arguments in a rule callback that do not have their form; boot faults. */
  faults?: readonly string[]
}

export interface Enumeration {
  readonly names: readonly string[]
  readonly meanings: Readonly<Record<string, string>>
}

export type WriteTiming = 'onCreate' | 'onUpdate'

/** Nested rule sets, and how they are applied. */
export type RulePart = { readonly ruleSets: readonly Rules[] } & (
  | { readonly kind: 'timing'; readonly timing: WriteTiming }
  | { readonly kind: 'when'; readonly condition: WhenCondition }
  | { readonly kind: 'all' | 'sequential' | 'any' }
)

export type WhenCondition = (value: unknown, caller: Caller | null) => boolean

/** Returns sentences about a value that breaks the rule; nothing for a valid one. */
export type CustomRule<Value = unknown> = (value: Value, caller: Caller | null) => Awaitable<RuleResult>

// biome-ignore lint/suspicious/noConfusingVoidType: a rule without a return statement accepts the value
export type RuleResult = string | readonly string[] | null | undefined | void

/** A date or time, or a function that returns one for each check. */
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
