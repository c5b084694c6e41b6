import type Joi from 'joi'
import type { DeclaredFilter, FilterBuilders } from './builder-types.ts'
import { createFilter, type FilterDefinition, type Operator, type ValueRule } from './definition.ts'
import { booleanRule, integerRule, numericRule, patternRule, uuidRule } from './value-rules.ts'

/** What a refinement changes in the definition it is said of. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments of a word are typed where it is declared
type Refinement = (filter: FilterDefinition, ...args: any[]) => Partial<FilterDefinition>

const adding = ({ rules }: FilterDefinition, ...more: ValueRule[]) => ({ rules: [...rules, ...more] })

const refinements: Readonly<Record<string, Refinement>> = {
  singular: () => ({ singular: true }),
  delimiter: (_, delimiter: string) => ({ delimiter }),
  operator: (_, operator: Operator) => ({ operator }),
  deserializeUsing: (_, deserialize) => ({ deserialize }),
  asBoolean: () => ({ asBoolean: true }),
  default: (_, value) => ({ default: value }),
  fixed: (_, value) => ({ fixed: value }),
  constrain: (filter, ...schemas: Joi.Schema[]) => adding(filter, ...schemas),
  numeric: (filter) => adding(filter, numericRule),
  integer: (filter) => adding(filter, integerRule),
  uuid: (filter, version?: number) => adding(filter, uuidRule(version)),
  boolean: (filter) => adding(filter, booleanRule),
  pattern: (filter, pattern: string | RegExp) => adding(filter, patternRule(pattern)),
  describedAs: (_, description: string) => ({ description }),
  availableWhen: (_, availableWhen) => ({ availableWhen }),
  condition: (_, condition) => ({ condition }),
  handledBy: (_, handler: string, ...properties: string[]) => ({ handler, properties }),
}

function declare(initial: FilterDefinition): DeclaredFilter {
  const builder: Record<string, unknown> = { filter: initial }
  for (const [word, refine] of Object.entries(refinements)) {
    builder[word] = (...args: unknown[]) => {
      const filter = builder.filter as FilterDefinition
      builder.filter = { ...filter, ...refine(filter, ...args) }
      return builder
    }
  }
  return builder as unknown as DeclaredFilter
}

type Given = Partial<FilterDefinition> & Pick<FilterDefinition, 'kind'>

/** A word over one property or relation, which is named like the key unless the author says otherwise. */
function over(word: string, given: Given) {
  return (key: string, target: string = key) => declare(createFilter({ ...given, word, key, target }))
}

function comparing(word: string, operator: Operator, further: Partial<FilterDefinition> = {}) {
  return over(word, { kind: 'where', operator, ...further })
}

function group(word: string, kind: 'all' | 'any') {
  return (key: string, ...children: DeclaredFilter[]) =>
    declare(createFilter({ kind, word, key, target: key, children: children.map((child) => child.filter) }))
}

const numericValue = { rules: [numericRule] }

const words = {
  where: (key: string, target: string = key, operator: Operator = '=') =>
    declare(createFilter({ kind: 'where', word: 'where', key, target, operator })),
  whereIn: over('whereIn', { kind: 'in' }),
  whereNotIn: over('whereNotIn', { kind: 'in', negated: true }),
  whereIdIn: (key = 'id', target = 'id') => over('whereIdIn', { kind: 'idIn' })(key, target),
  whereIdNotIn: (key = 'id', target = 'id') => over('whereIdNotIn', { kind: 'idIn', negated: true })(key, target),
  whereNull: over('whereNull', { kind: 'null' }),
  whereNotNull: over('whereNotNull', { kind: 'null', negated: true }),
  whereHas: over('whereHas', { kind: 'has' }),
  whereDoesntHave: over('whereDoesntHave', { kind: 'has', negated: true }),
  whereThrough: over('whereThrough', { kind: 'through' }),
  contains: comparing('contains', 'like'),
  startsWith: comparing('startsWith', 'starts'),
  endsWith: comparing('endsWith', 'ends'),
  numeric: comparing('numeric', '=', numericValue),
  greaterThan: comparing('greaterThan', '>', numericValue),
  greaterThanOrEqual: comparing('greaterThanOrEqual', '>=', numericValue),
  lessThan: comparing('lessThan', '<', numericValue),
  lessThanOrEqual: comparing('lessThanOrEqual', '<=', numericValue),
  boolean: comparing('boolean', '=', { rules: [booleanRule], asBoolean: true }),
  range: over('range', { kind: 'range' }),
  dateRange: over('dateRange', { kind: 'dateRange' }),
  whereAll: group('whereAll', 'all'),
  whereAny: group('whereAny', 'any'),
  whereHasMatching: (key: string, target: string, matching: FilterDefinition['matching']) =>
    over('whereHasMatching', { kind: 'hasMatching', matching })(key, target),
  custom: (key: string) => over('custom', { kind: 'custom' })(key),
}

export const filterWords = words as unknown as FilterBuilders<never, string>

/** The operators of the words that have one of their own. */
export const ownOperators: Readonly<Record<string, Operator>> = {
  numeric: '=',
  greaterThan: '>',
  greaterThanOrEqual: '>=',
  lessThan: '<',
  lessThanOrEqual: '<=',
}
