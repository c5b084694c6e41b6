import type { Caller, Fact, NumberModifiers, Plugin, ResourceType, StringModifiers } from '#kernel/plugin'
import { checkUnique, listUniques } from './check/check-unique.ts'
import { compileType, type TypeChecks } from './check/check-write.ts'
import { checkDeclaredRules } from './compile/check-declared-rules.ts'
import { checkEnumNames } from './compile/check-enum-names.ts'
import { describeValidation } from './describe.ts'
import { attributeModifiers, relationModifiers, ruleArguments } from './modifiers.ts'
import { neededBy } from './needed-by.ts'
import type { Bound, ComparisonName, CustomRule, Rules, UuidVersion } from './rules.ts'
import type { Shape } from './shape.ts'

export type { Bound, ComparisonName, CustomRule, RuleResult } from './rules.ts'
export { type ObjectSchema, type Shape, type ShapeSchema, shape } from './shape.ts'

declare module '#kernel/plugin' {
  interface ResourceType {
    /** The checks of writes. Set in `onCompile`. */
    writeChecks?: TypeChecks
  }
}

/** The values of an enumeration. */
type Enumerated<Values> = Values extends readonly (infer Value)[] ? Value : Values[keyof Values]

declare module '#kernel' {
  interface AttributeModifiers<Entity> {
    /** Must be sent on create, and must never be empty or blank. */
    required(): this & Fact<{ required: true }>
    requiredOnCreate(): this & Fact<{ required: true }>
    requiredOnUpdate(): this
    /** Accepts null. */
    nullable(): this & Fact<{ nullable: true }>
    /** Rules that apply to creates only: `onCreate((field) => field.minLength(8))`. */
    onCreate(rules: (field: this) => unknown): this
    /** Rules that apply to updates only. */
    onUpdate(rules: (field: this) => unknown): this
    /** Rules that apply while the condition returns true. */
    when(condition: (value: unknown, caller: Caller | null) => boolean, rules: (field: this) => unknown): this
    /** All of these rules; every fault is reported. */
    constrain(...rules: ((field: this) => unknown)[]): this
    /** All of these rules; checks stop at the first that is broken. */
    sequentially(...rules: ((field: this) => unknown)[]): this
    /** At least one of these rules must hold. */
    atLeastOneOf(...rules: ((field: this) => unknown)[]): this
    /** Compares with a sibling field: `until.compareWith('from', 'GreaterThan')`. Skipped if either has no value. */
    compareWith(field: string, comparison: ComparisonName): this
    /** The combined values of these fields must be unique among the resources of the type. */
    uniqueEntity(fields: readonly string[]): this
  }
  interface ValueModifiers<Entity, Value> {
    /**
     * A rule of your own: returns a sentence, a list of sentences, or nothing if the value is valid. Called once for a value
     * that is sent, is not null and satisfies all other rules. A promise is awaited.
     */
    rule(check: CustomRule<Value>): this
  }
  interface StringModifiers<Entity> {
    in<const Values extends readonly string[]>(values: Values): this & Fact<{ values: Values[number] }>
    notIn(values: readonly string[]): this
    /** The allowed values, and the meaning of each for the OpenAPI document. */
    enum<const Values extends Readonly<Record<string, string>> | readonly string[]>(
      values: Values,
      meanings?: Readonly<Record<string, string>>,
    ): this & Fact<{ values: Enumerated<Values> }>
    /** The name of the enumeration in the OpenAPI document; default: after the type and the field. */
    enumName(name: string): this
    minLength(length: number): this
    maxLength(length: number): this
    /** Matches a part of the value; anchor it with ^ and $ to match the whole. */
    pattern(pattern: string | RegExp): this
    email(strict?: boolean): this
    /** Default schemes: http and https. */
    url(schemes?: readonly string[]): this
    uuid(version?: UuidVersion): this
    /** Default pattern: lower-case kebab case. */
    slug(pattern?: RegExp): this
    ip(version?: 'v4' | 'v6' | 'both'): this
  }
  interface EmailModifiers<Entity> {
    /** Accepts ASCII only, and a domain of at least two labels. */
    strict(): this
  }
  interface UrlModifiers<Entity> {
    allowedSchemes(...schemes: readonly [string, ...string[]]): this
  }
  interface UuidModifiers<Entity> {
    version(version: UuidVersion): this
  }
  interface IpModifiers<Entity> {
    v4(): this
    v6(): this
    both(): this
  }
  interface NumberModifiers<Entity> {
    in<const Values extends readonly number[]>(values: Values): this & Fact<{ values: Values[number] }>
    notIn(values: readonly number[]): this
    enum<const Values extends Readonly<Record<string, number>> | readonly number[]>(
      values: Values,
      meanings?: Readonly<Record<number, string>>,
    ): this & Fact<{ values: Enumerated<Values> }>
    /** The name of the enumeration in the OpenAPI document; default: after the type and the field. */
    enumName(name: string): this
    min(value: number): this
    max(value: number): this
    exclusiveMin(value: number): this
    exclusiveMax(value: number): this
    multipleOf(value: number): this
  }
  interface TemporalModifiers<Entity> {
    in(values: readonly string[]): this
    notIn(values: readonly string[]): this
    /** A bound is a value of the field's kind, or a function that returns one: `before(() => new Date())`. */
    before(bound: Bound): this
    after(bound: Bound): this
    /** Both ends are included. */
    between(from: Bound, to: Bound): this
  }
  interface ArrayListModifiers<Entity> {
    minItems(count: number): this
    maxItems(count: number): this
    uniqueItems(): this
    /** Rules for every item: `each((item) => item.minLength(1))`. */
    each(rules: (item: ItemModifiers<Entity>) => unknown): this
  }
  interface ArrayHashModifiers<Entity> {
    minProperties(count: number): this
    maxProperties(count: number): this
    constrain(...shapes: Shape[]): this
  }
  interface ToOneModifiers<Entity> {
    /** Must be sent on create, and must not be null. For a belongsTo or morphTo. */
    required(): this & Fact<{ required: true }>
  }
  interface ToManyModifiers<Entity> {
    /** The smallest number of members after a write. For a hasMany or belongsToMany. */
    minItems(count: number): this
    maxItems(count: number): this
  }
  interface FieldOptions {
    rules?: Rules
  }
}

/** Items are texts, or numbers if a rule of numbers is used. */
export interface ItemModifiers<Entity>
  extends StringModifiers<Entity>,
    Omit<NumberModifiers<Entity>, 'in' | 'notIn' | 'enum' | 'enumName'> {}

/** Validates the attributes and relationships of a write against the rules of their fields; reports all faults. */
export function validation(): Plugin {
  return {
    name: 'validation',
    modifiers: { attribute: attributeModifiers, relation: relationModifiers, arguments: ruleArguments },
    neededBy,

    onCompile(registry) {
      const enumerations = new Map<string, string>()
      const types: Iterable<ResourceType> = registry.types.values()
      for (const type of types) {
        checkDeclaredRules(type, registry)
        checkEnumNames(type, enumerations, registry)
        type.writeChecks = compileType(type)
        type.uniques.push(...listUniques(type))
        for (const relation of type.relations) relation.maxMembers = relation.options.rules?.maxItems ?? null
      }
    },

    plan({ kind, type, relation, action, validate, beforeSave }) {
      const checks = type && checksOf(type)
      if (!kind || !checks || action) return
      const validation = relation ? checks.ofLinkage(kind, relation) : checks.ofResource(kind)
      if (validation) validate.push(validation)
      if (kind === 'Create' || kind === 'Update') {
        if (type.attributes.some(({ options }) => options.rules?.uniqueEntity))
          beforeSave.push({ of: 'row', check: checkUnique })
      }
    },

    describe: describeValidation,
  }
}

function checksOf({ writeChecks }: ResourceType): TypeChecks | undefined {
  return writeChecks
}
