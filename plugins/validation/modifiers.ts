import Joi from 'joi'
import { argumentFaults } from '#kernel/errors'
import type { ArgumentForms, Attribute, Modifier, Relation } from '#kernel/plugin'
import type {
  Bound,
  ComparisonName,
  CustomRule,
  Enumeration,
  Format,
  IpVersion,
  RulePart,
  Rules,
  UuidVersion,
  WhenCondition,
} from './rules.ts'
import { isShape, type Shape } from './shape.ts'

/** Declares nested rules: `(field) => field.minLength(8)`. */
type RuleCallback = (field: never) => unknown

type RuleModifier = (rules: Rules, ...args: never[]) => Rules

type Values = readonly (string | number)[] | Readonly<Record<string, string | number>>

const ruleModifiers: Readonly<Record<string, RuleModifier>> = {
  required: () => ({ required: 'always' }),
  requiredOnCreate: ({ required }) => ({ required: required ? 'always' : 'onCreate' }),
  requiredOnUpdate: ({ required }) => ({ required: required ? 'always' : 'onUpdate' }),
  nullable: () => ({ nullable: true }),
  in: (_, values: Values) => ({ in: toList(values) }),
  notIn: (_, values: Values) => ({ notIn: toList(values) }),
  enum: (_, values: Values, meanings: Enumeration['meanings'] = {}) => ({
    in: toList(values),
    enumeration: { names: listNames(values), meanings },
  }),
  enumName: (_, enumName: string) => ({ enumName }),

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
  each: (_, declare: RuleCallback) => ({ each: collectRules(declare) }),
  minProperties: (_, minProperties: number) => ({ minProperties }),
  maxProperties: (_, maxProperties: number) => ({ maxProperties }),

  onCreate: (rules, declare: RuleCallback) =>
    withPart(rules, { kind: 'timing', timing: 'onCreate', ruleSets: [collectRules(declare)] }),
  onUpdate: (rules, declare: RuleCallback) =>
    withPart(rules, { kind: 'timing', timing: 'onUpdate', ruleSets: [collectRules(declare)] }),
  when: (rules, condition: WhenCondition, declare: RuleCallback) =>
    withPart(rules, { kind: 'when', condition, ruleSets: [collectRules(declare)] }),
  constrain: (rules, ...rulesOrShapes: readonly (RuleCallback | Shape)[]) => ({
    ...withPart(rules, {
      kind: 'all',
      ruleSets: rulesOrShapes.filter((entry) => !isShape(entry)).map((entry) => collectRules(entry as RuleCallback)),
    }),
    shapes: [...(rules.shapes ?? []), ...rulesOrShapes.filter(isShape)],
  }),
  sequentially: (rules, ...callbacks: readonly RuleCallback[]) =>
    withPart(rules, { kind: 'sequential', ruleSets: callbacks.map(collectRules) }),
  atLeastOneOf: (rules, ...callbacks: readonly RuleCallback[]) =>
    withPart(rules, { kind: 'any', ruleSets: callbacks.map(collectRules) }),
  compareWith: ({ comparisons = [] }, field: string, comparison: ComparisonName) => ({
    comparisons: [...comparisons, { field, comparison }],
  }),
  rule: ({ customRules = [] }, rule: CustomRule) => ({ customRules: [...customRules, rule] }),
  uniqueEntity: (_, uniqueEntity: readonly string[]) => ({ uniqueEntity }),
}

const size = [Joi.number().integer().min(0).required()]
const number = [Joi.number().required()]
const declared = [Joi.function().required()]

/** The forms of arguments of rules. `check-declared-rules.ts` checks those that depend on the field. */
export const ruleArguments: ArgumentForms = {
  minLength: size,
  maxLength: size,
  minItems: size,
  maxItems: size,
  minProperties: size,
  maxProperties: size,
  min: number,
  max: number,
  exclusiveMin: number,
  exclusiveMax: number,
  multipleOf: [Joi.number().greater(0).required()],
  each: declared,
  onCreate: declared,
  onUpdate: declared,
  compareWith: [Joi.string().required()],
  uniqueEntity: [Joi.array().items(Joi.string()).required()],
}

const toModifier =
  <Definition extends Attribute | Relation>(ruleModifier: RuleModifier): Modifier<Definition> =>
  ({ options }, ...args) =>
    ({
      options: { rules: { ...options.rules, ...ruleModifier(options.rules ?? {}, ...(args as never[])) } },
    }) as Partial<Definition>

const listValues =
  (ruleModifier: RuleModifier): Modifier<Attribute> =>
  (attribute, ...args) => {
    const changes = toModifier<Attribute>(ruleModifier)(attribute, ...args)
    return { ...changes, values: changes.options?.rules?.in ?? null }
  }

export const attributeModifiers: Readonly<Record<string, Modifier<Attribute>>> = {
  ...Object.fromEntries(
    Object.entries(ruleModifiers).map(([name, ruleModifier]) => [name, toModifier<Attribute>(ruleModifier)]),
  ),
  in: listValues(ruleModifiers.in as RuleModifier),
  enum: listValues(ruleModifiers.enum as RuleModifier),
}

export const relationModifiers: Readonly<Record<string, Modifier<Relation>>> = Object.fromEntries(
  ['required', 'minItems', 'maxItems'].map((name) => [name, toModifier<Relation>(ruleModifiers[name] as RuleModifier)]),
)

/** Runs the callback with a proxy that records the modifiers called on it. */
function collectRules(declare: RuleCallback): Rules {
  let rules: Rules = {}
  const recorder: unknown = new Proxy(
    {},
    {
      get: (_, name: string) => {
        const ruleModifier = ruleModifiers[name]
        return (...args: never[]) => {
          const faults = argumentFaults(name, ruleArguments[name] ?? [], args)
          if (!ruleModifier) rules = { ...rules, unknownRules: [...(rules.unknownRules ?? []), name] }
          else if (faults.length > 0) rules = { ...rules, faults: [...(rules.faults ?? []), ...faults] }
          else rules = { ...rules, ...ruleModifier(rules, ...args) }
          return recorder
        }
      },
    },
  )
  declare(recorder as never)
  return rules
}

function withPart({ parts = [] }: Rules, part: RulePart): Rules {
  return { parts: [...parts, part] }
}

function format(format: Format): Rules {
  return { format }
}

function toList(values: Values): readonly (string | number)[] {
  return Array.isArray(values) ? values : Object.values(values)
}

/** Returns the keys of an object, or names derived from the values of an array: `on-sale` → `OnSale`. */
function listNames(values: Values): readonly string[] {
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
