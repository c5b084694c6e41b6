import type { Attribute, Relation, Word } from '#kernel/plugin'
import type {
  Bound,
  ComparisonName,
  Enumeration,
  Format,
  IpVersion,
  Part,
  Rules,
  UuidVersion,
  WhenCondition,
} from './rules.ts'
import { isShape, type Shape } from './shape.ts'

/** Says rules of a field: `(field) => field.minLength(8)`. */
export type Say = (field: never) => unknown

type RuleWord = (rules: Rules, ...args: never[]) => Rules

type Values = readonly (string | number)[] | Readonly<Record<string, string | number>>

const ruleWords: Readonly<Record<string, RuleWord>> = {
  required: () => ({ required: 'always' }),
  requiredOnCreate: ({ required }) => ({ required: required ? 'always' : 'onCreate' }),
  requiredOnUpdate: ({ required }) => ({ required: required ? 'always' : 'onUpdate' }),
  nullable: () => ({ nullable: true }),
  in: (_, values: Values) => ({ in: listOf(values) }),
  notIn: (_, values: Values) => ({ notIn: listOf(values) }),
  enum: (_, values: Values, meanings: Enumeration['meanings'] = {}) => ({
    in: listOf(values),
    enumeration: { names: namesOf(values), meanings },
  }),

  minLength: (_, minLength: number) => ({ minLength }),
  maxLength: (_, maxLength: number) => ({ maxLength }),
  pattern: ({ patterns = [] }, pattern: string | RegExp) => ({ patterns: [...patterns, toRegExp(pattern)] }),
  email: (_, strict: boolean = false) => format({ kind: 'email', strict }),
  strict: () => format({ kind: 'email', strict: true }),
  url: (_, schemes: readonly string[] = ['http', 'https']) => format({ kind: 'url', schemes }),
  allowedSchemes: (_, ...schemes: readonly string[]) => format({ kind: 'url', schemes }),
  uuid: (_, version?: UuidVersion) => format({ kind: 'uuid', ...(version !== undefined && { version }) }),
  version: (_, version: UuidVersion) => format({ kind: 'uuid', version }),
  slug: (_, pattern?: RegExp) => format({ kind: 'slug', ...(pattern && { pattern }) }),
  ip: (_, version: IpVersion = 'both') => format({ kind: 'ip', version }),
  v4: () => format({ kind: 'ip', version: 'v4' }),
  v6: () => format({ kind: 'ip', version: 'v6' }),
  both: () => format({ kind: 'ip', version: 'both' }),

  min: (_, min: number) => ({ min }),
  max: (_, max: number) => ({ max }),
  exclusiveMin: (_, exclusiveMin: number) => ({ exclusiveMin }),
  exclusiveMax: (_, exclusiveMax: number) => ({ exclusiveMax }),
  multipleOf: (_, multipleOf: number) => ({ multipleOf }),

  before: (_, before: Bound) => ({ before }),
  after: (_, after: Bound) => ({ after }),
  between: (_, from: Bound, to: Bound) => ({ between: [from, to] }),

  minItems: (_, minItems: number) => ({ minItems }),
  maxItems: (_, maxItems: number) => ({ maxItems }),
  uniqueItems: () => ({ uniqueItems: true }),
  each: (_, say: Say) => ({ each: collectRules(say) }),
  minProperties: (_, minProperties: number) => ({ minProperties }),
  maxProperties: (_, maxProperties: number) => ({ maxProperties }),

  onCreate: (rules, say: Say) => part(rules, { kind: 'moment', moment: 'onCreate', rules: collectRules(say) }),
  onUpdate: (rules, say: Say) => part(rules, { kind: 'moment', moment: 'onUpdate', rules: collectRules(say) }),
  when: (rules, condition: WhenCondition, say: Say) =>
    part(rules, { kind: 'when', condition, rules: collectRules(say) }),
  constrain: (rules, ...says: readonly (Say | Shape)[]) => ({
    ...part(rules, {
      kind: 'all',
      choices: says.filter((say) => !isShape(say)).map((say) => collectRules(say as Say)),
    }),
    shapes: [...(rules.shapes ?? []), ...says.filter(isShape)],
  }),
  sequentially: (rules, ...says: readonly Say[]) => part(rules, { kind: 'inTurn', choices: says.map(collectRules) }),
  atLeastOneOf: (rules, ...says: readonly Say[]) => part(rules, { kind: 'any', choices: says.map(collectRules) }),
  compareWith: ({ compared = [] }, field: string, comparison: ComparisonName) => ({
    compared: [...compared, { field, comparison }],
  }),
  uniqueEntity: (_, uniqueEntity: readonly string[]) => ({ uniqueEntity }),
}

const toWord =
  <Definition extends Attribute | Relation>(say: RuleWord): Word<Definition> =>
  ({ options }, ...args) =>
    ({
      options: { rules: { ...options.rules, ...say(options.rules ?? {}, ...(args as never[])) } },
    }) as Partial<Definition>

export const words: Readonly<Record<string, Word<Attribute>>> = Object.fromEntries(
  Object.entries(ruleWords).map(([name, say]) => [name, toWord<Attribute>(say)]),
)

export const relationWords: Readonly<Record<string, Word<Relation>>> = Object.fromEntries(
  ['required', 'minItems', 'maxItems'].map((name) => [name, toWord<Relation>(ruleWords[name] as RuleWord)]),
)

/** The rules said to a field that exists only to hear them. */
function collectRules(say: Say): Rules {
  let rules: Rules = {}
  const listener: unknown = new Proxy(
    {},
    {
      get: (_, word: string) => {
        const known = ruleWords[word]
        return (...args: never[]) => {
          rules = known
            ? { ...rules, ...known(rules, ...args) }
            : { ...rules, strangers: [...(rules.strangers ?? []), word] }
          return listener
        }
      },
    },
  )
  say(listener as never)
  return rules
}

function part({ parts = [] }: Rules, further: Part): Rules {
  return { parts: [...parts, further] }
}

function format(format: Format): Rules {
  return { format }
}

function listOf(values: Values): readonly (string | number)[] {
  return Array.isArray(values) ? values : Object.values(values)
}

/** The keys of an object, else names made from the values: `on-sale` → `OnSale`. */
function namesOf(values: Values): readonly string[] {
  if (!Array.isArray(values)) return Object.keys(values)
  return values.map((value: string | number) => {
    const words = String(value).split(/[^A-Za-z0-9]+/)
    const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
    return /^[A-Za-z]/.test(name) ? name : `Value${name}`
  })
}

function toRegExp(pattern: string | RegExp): RegExp {
  return typeof pattern === 'string'
    ? new RegExp(pattern)
    : new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
}
