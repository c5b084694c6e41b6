import type { FilterQuery } from '@mikro-orm/core'
import type Joi from 'joi'
import { type ApiRequest, always, type Condition, type IsExposed, type ParamValue, type Schema } from '#kernel/plugin'

export const operators = ['=', '!=', '>', '>=', '<', '<=', 'like', 'starts', 'ends'] as const
export type Operator = (typeof operators)[number]

/** Other ways to write an operator. */
export const synonyms = { '==': '=', '===': '=', '<>': '!=' } as const satisfies Record<string, Operator>

export type FilterKind =
  | 'where'
  | 'in'
  | 'idIn'
  | 'null'
  | 'has'
  | 'through'
  | 'range'
  | 'dateRange'
  | 'all'
  | 'any'
  | 'hasMatching'
  | 'custom'

/** A value an author pins or presets: not validated, but cast like one a client sends. */
export type PresetValue = string | number | boolean | readonly (string | number)[] | Readonly<Record<string, string>>

/** What a registered handler is told besides the value. */
export interface HandledFilter {
  readonly key: string
  readonly properties: readonly string[]
}

/** Makes the condition of a value; undefined refuses the value. */
export type FilterHandler = (
  value: ParamValue,
  filter: HandledFilter,
  request: ApiRequest | null,
) => Condition | undefined

/** A rule for one text; the message says what it must be, the schema says it to programs. */
export type ValueRule =
  | { readonly test: (text: string) => boolean; readonly message: string; readonly schema: Schema }
  | Joi.Schema

/** A filter as it was declared. */
export interface FilterDefinition {
  readonly kind: FilterKind
  /** The word it was declared with, for messages. */
  readonly word: string
  /** `filter[key]`; of the child of a group, only a name. */
  readonly key: string
  /** The property, dotted path or relation it looks at. */
  readonly target: string
  readonly operator: Operator
  /** The opposite: not in, not null, does not have. */
  readonly negated: boolean
  readonly children: readonly FilterDefinition[]
  readonly rules: readonly ValueRule[]
  readonly delimiter: string
  readonly singular: boolean
  readonly asBoolean: boolean
  readonly deserialize: ((text: string) => unknown) | null
  readonly default: PresetValue | undefined
  readonly fixed: PresetValue | undefined
  readonly description: string | null
  readonly availableWhen: ((request: ApiRequest) => boolean) | null
  /** Of whereHasMatching: MikroORM's where on the related row. */
  readonly matching: FilterQuery<object> | ((value: ParamValue) => FilterQuery<object>) | null
  /** Of a custom filter: its own condition, or the name of a registered handler and what it is to look at. */
  readonly condition: ((value: ParamValue, request: ApiRequest | null) => Condition | undefined) | null
  readonly handler: string | null
  readonly properties: readonly string[]
  /** To other requesters the key is unknown; set when the filter is compiled. */
  readonly isExposed: IsExposed
}

export function createFilter(
  given: Pick<FilterDefinition, 'kind' | 'word' | 'key' | 'target'> & Partial<FilterDefinition>,
): FilterDefinition {
  return {
    operator: '=',
    negated: false,
    children: [],
    rules: [],
    delimiter: ',',
    singular: false,
    asBoolean: false,
    deserialize: null,
    default: undefined,
    fixed: undefined,
    description: null,
    availableWhen: null,
    matching: null,
    condition: null,
    handler: null,
    properties: [],
    isExposed: always,
    ...given,
  }
}
