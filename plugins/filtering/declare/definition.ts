import type Joi from 'joi'
import type { Phrase } from '#kernel/errors'
import type { ApiRequest, Caller, Query, QueryContext, ResourceType } from '#kernel/plugin'
import type { Condition, ParamValue, RowFilter } from '#kernel/queries'
import type { Schema } from '#openapi'
import { always, type IsExposed } from '#query'

export const operators = ['=', '!=', '>', '>=', '<', '<=', 'like', 'starts', 'ends'] as const
export type Operator = (typeof operators)[number]

/** Alternative spellings of operators. */
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

/** A value in the declaration (`default`, `fixed`): not validated by rules, but converted like a sent value. */
export type PresetValue = string | number | boolean | readonly (string | number)[] | Readonly<Record<string, string>>

/** The filter as its handler receives it. */
export interface HandledFilter {
  readonly key: string
  /** The whole name of the query parameter, for errors: `filter[q]`, `rQ[tracks][filter][q]`. */
  readonly parameter: string
  readonly properties: readonly string[]
}

/** Returns the condition of a value; undefined rejects the value. */
export type FilterHandler = (
  value: ParamValue,
  filter: HandledFilter,
  request: ApiRequest | null,
) => Condition | undefined

/** A rule for one text. `message` completes "must be …", `schema` documents it in OpenAPI. */
export type ValueRule =
  | { readonly test: (text: string) => boolean; readonly message: Phrase; readonly schema: Schema }
  | Joi.Schema

/** Where the value of a filter was sent, and where its faults go. */
export interface FilterReading {
  /** The type of the filtered rows. */
  readonly type: ResourceType
  readonly query: Query
  readonly queryContext: QueryContext
  /** The key of the filter. */
  readonly key: string
  /** The whole name of the query parameter, for errors: `rQ[tracks][filter][where]`. */
  readonly parameter: string
}

/** Reads the value of a filter of a plugin into a condition. Adds faults to the query and returns undefined if there are any. */
export type ReadFilter = (value: ParamValue, reading: FilterReading) => Condition | undefined

/** A declared filter. */
export interface FilterDefinition {
  readonly kind: FilterKind
  /** The builder it was declared with, for error messages. */
  readonly builderName: string
  /** The key in `filter[key]`. The key of a child of a group is not a query parameter. */
  readonly key: string
  /** The property, dotted path or relation that is compared. */
  readonly target: string
  readonly operator: Operator
  /** Negates the condition: not in, not null, does not have. */
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
  /** whereHasMatching: the filter of the related row. */
  readonly matching: RowFilter<object> | ((value: ParamValue) => RowFilter<object>) | null
  /** custom: the condition, or the name of a registered handler and the properties it reads. */
  readonly condition: ((value: ParamValue, caller: Caller | null) => Condition | undefined) | null
  readonly handler: string | null
  readonly properties: readonly string[]
  /** custom: reads the value in place of the functions above. Set by a plugin, which describes the filter in OpenAPI itself. */
  readonly read: ReadFilter | null
  /** Whether it applies to resources as primary data only, also to a single one; `addFilter` of another plugin sets it. */
  readonly isOfPrimaryData: boolean
  /** The servers that accept the key; null for all. */
  readonly servers: ReadonlySet<string> | null
  /** Returns false if a field the filter reads is hidden from the requester; the key is unknown then. Set at boot. */
  readonly isExposed: IsExposed
}

/** Completes a definition with defaults. */
export function createFilter(
  filter: Pick<FilterDefinition, 'kind' | 'builderName' | 'key' | 'target'> & Partial<FilterDefinition>,
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
    read: null,
    isOfPrimaryData: false,
    servers: null,
    isExposed: always,
    ...filter,
  }
}
