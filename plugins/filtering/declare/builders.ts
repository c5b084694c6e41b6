import type Joi from 'joi'
import type { DeclaredFilter, FilterBuilders } from './builder-types.ts'
import { createFilter, type FilterDefinition, type Operator, type ValueRule } from './definition.ts'
import { booleanRule, integerRule, numericRule, patternRule, uuidRule } from './value-rules.ts'

/** Returns the members of the definition that a refinement changes. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments are typed in builder-types.ts
type Refinement = (filter: FilterDefinition, ...args: any[]) => Partial<FilterDefinition>

const addRules = ({ rules }: FilterDefinition, ...added: ValueRule[]) => ({ rules: [...rules, ...added] })

const refinements: Readonly<Record<string, Refinement>> = {
  singular: () => ({ singular: true }),
  delimiter: (_, delimiter: string) => ({ delimiter }),
  operator: (_, operator: Operator) => ({ operator }),
  deserializeUsing: (_, deserialize) => ({ deserialize }),
  asBoolean: () => ({ asBoolean: true }),
  default: (_, value) => ({ default: value }),
  fixed: (_, value) => ({ fixed: value }),
  constrain: (filter, ...schemas: Joi.Schema[]) => addRules(filter, ...schemas),
  numeric: (filter) => addRules(filter, numericRule),
  integer: (filter) => addRules(filter, integerRule),
  uuid: (filter, version?: number) => addRules(filter, uuidRule(version)),
  boolean: (filter) => addRules(filter, booleanRule),
  pattern: (filter, pattern: string | RegExp) => addRules(filter, patternRule(pattern)),
  describedAs: (_, description: string) => ({ description }),
  availableWhen: (_, availableWhen) => ({ availableWhen }),
  condition: (_, condition) => ({ condition }),
  handledBy: (_, handler: string, ...properties: string[]) => ({ handler, properties }),
}

/** Creates a builder whose methods replace its definition and return the builder. */
function createBuilder(initial: FilterDefinition): DeclaredFilter {
  const builder: Record<string, unknown> = { filter: initial }
  for (const [name, refine] of Object.entries(refinements)) {
    builder[name] = (...args: unknown[]) => {
      const filter = builder.filter as FilterDefinition
      builder.filter = { ...filter, ...refine(filter, ...args) }
      return builder
    }
  }
  return builder as unknown as DeclaredFilter
}

type PartialFilter = Partial<FilterDefinition> & Pick<FilterDefinition, 'kind'>

/** Returns a builder function for one property or relation, which defaults to the key. */
function forTarget(builderName: string, filter: PartialFilter) {
  return (key: string, target: string = key) => createBuilder(createFilter({ ...filter, builderName, key, target }))
}

function forComparison(builderName: string, operator: Operator, options: Partial<FilterDefinition> = {}) {
  return forTarget(builderName, { kind: 'where', operator, ...options })
}

function forGroup(builderName: string, kind: 'all' | 'any') {
  return (key: string, ...children: DeclaredFilter[]) =>
    createBuilder(
      createFilter({ kind, builderName, key, target: key, children: children.map((child) => child.filter) }),
    )
}

const numericValue = { rules: [numericRule] }

const builders = {
  where: (key: string, target: string = key, operator: Operator = '=') =>
    createBuilder(createFilter({ kind: 'where', builderName: 'where', key, target, operator })),
  whereIn: forTarget('whereIn', { kind: 'in' }),
  whereNotIn: forTarget('whereNotIn', { kind: 'in', negated: true }),
  whereIdIn: (key = 'id', target = 'id') => forTarget('whereIdIn', { kind: 'idIn' })(key, target),
  whereIdNotIn: (key = 'id', target = 'id') => forTarget('whereIdNotIn', { kind: 'idIn', negated: true })(key, target),
  whereNull: forTarget('whereNull', { kind: 'null' }),
  whereNotNull: forTarget('whereNotNull', { kind: 'null', negated: true }),
  whereHas: forTarget('whereHas', { kind: 'has' }),
  whereDoesntHave: forTarget('whereDoesntHave', { kind: 'has', negated: true }),
  whereThrough: forTarget('whereThrough', { kind: 'through' }),
  contains: forComparison('contains', 'like'),
  startsWith: forComparison('startsWith', 'starts'),
  endsWith: forComparison('endsWith', 'ends'),
  numeric: forComparison('numeric', '=', numericValue),
  greaterThan: forComparison('greaterThan', '>', numericValue),
  greaterThanOrEqual: forComparison('greaterThanOrEqual', '>=', numericValue),
  lessThan: forComparison('lessThan', '<', numericValue),
  lessThanOrEqual: forComparison('lessThanOrEqual', '<=', numericValue),
  boolean: forComparison('boolean', '=', { rules: [booleanRule], asBoolean: true }),
  range: forTarget('range', { kind: 'range' }),
  dateRange: forTarget('dateRange', { kind: 'dateRange' }),
  whereAll: forGroup('whereAll', 'all'),
  whereAny: forGroup('whereAny', 'any'),
  whereHasMatching: (key: string, target: string, matching: FilterDefinition['matching']) =>
    forTarget('whereHasMatching', { kind: 'hasMatching', matching })(key, target),
  custom: (key: string) => forTarget('custom', { kind: 'custom' })(key),
}

export const filterBuilders = builders as unknown as FilterBuilders<never, string>

/** Operators that are fixed by the name of a builder. */
export const fixedOperators: Readonly<Record<string, Operator>> = {
  numeric: '=',
  greaterThan: '>',
  greaterThanOrEqual: '>=',
  lessThan: '<',
  lessThanOrEqual: '<=',
}
