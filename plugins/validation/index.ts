import type { ApiRequest, NumberWords, Plugin, Relation, ResourceType, StringWords } from '#kernel/plugin'
import { checkMembers } from './check/check-attributes.ts'
import { checkLinkage, checkOne, checkRequired } from './check/check-linkage.ts'
import { checkUnique } from './check/check-unique.ts'
import { checkRules } from './compile/check-declared-rules.ts'
import { compileMembers, type Member } from './compile/compiled-attribute.ts'
import { describeRules } from './openapi/describe-validation.ts'
import type { Bound, ComparisonName, Rules, UuidVersion } from './rules.ts'
import type { Shape } from './shape.ts'
import { relationWords, words } from './words.ts'

export type { Bound, ComparisonName } from './rules.ts'
export { type ObjectSchema, type Shape, type ShapeSchema, shape } from './shape.ts'

declare module '#kernel' {
  interface AttributeWords<Entity> {
    /** Present on create, and never blank. */
    required(): this
    requiredOnCreate(): this
    requiredOnUpdate(): this
    /** Null may be sent. */
    nullable(): this
    /** Rules for one moment only: `onCreate((field) => field.minLength(8))`. */
    onCreate(rules: (field: this) => unknown): this
    onUpdate(rules: (field: this) => unknown): this
    /** Rules that hold while the condition does. */
    when(condition: (value: unknown, request: ApiRequest | null) => boolean, rules: (field: this) => unknown): this
    /** All of these rules, all of their faults told. */
    constrain(...rules: ((field: this) => unknown)[]): this
    /** All of these rules, told up to the first fault. */
    sequentially(...rules: ((field: this) => unknown)[]): this
    atLeastOneOf(...rules: ((field: this) => unknown)[]): this
    /** "This, compared, with the other field"; passed over while either has no value. */
    compareWith(field: string, comparison: ComparisonName): this
    /** No two resources have the same values of these fields. */
    uniqueEntity(fields: readonly string[]): this
  }
  interface StringWords<Entity> {
    in(values: readonly string[]): this
    notIn(values: readonly string[]): this
    /** The values there are, and what each of them means. */
    enum(
      values: Readonly<Record<string, string>> | readonly string[],
      meanings?: Readonly<Record<string, string>>,
    ): this
    minLength(length: number): this
    maxLength(length: number): this
    /** Matches somewhere; anchor it to match the whole. */
    pattern(pattern: string | RegExp): this
    email(strict?: boolean): this
    /** Of the schemes http and https, when none are given. */
    url(schemes?: readonly string[]): this
    uuid(version?: UuidVersion): this
    /** Lower-case kebab, unless another form is given. */
    slug(pattern?: RegExp): this
    ip(version?: 'v4' | 'v6' | 'both'): this
  }
  interface EmailWords<Entity> {
    /** ASCII only, and a domain of at least two labels. */
    strict(): this
  }
  interface UrlWords<Entity> {
    allowedSchemes(...schemes: readonly [string, ...string[]]): this
  }
  interface UuidWords<Entity> {
    version(version: UuidVersion): this
  }
  interface IpWords<Entity> {
    v4(): this
    v6(): this
    both(): this
  }
  interface NumberWords<Entity> {
    in(values: readonly number[]): this
    notIn(values: readonly number[]): this
    enum(
      values: Readonly<Record<string, number>> | readonly number[],
      meanings?: Readonly<Record<number, string>>,
    ): this
    min(value: number): this
    max(value: number): this
    exclusiveMin(value: number): this
    exclusiveMax(value: number): this
    multipleOf(value: number): this
  }
  interface TemporalWords<Entity> {
    in(values: readonly string[]): this
    notIn(values: readonly string[]): this
    /** A bound is a value of the kind, or a function that makes one: `before(() => new Date())`. */
    before(bound: Bound): this
    after(bound: Bound): this
    /** Both ends are allowed. */
    between(from: Bound, to: Bound): this
  }
  interface ArrayListWords<Entity> {
    minItems(count: number): this
    maxItems(count: number): this
    uniqueItems(): this
    /** What every item must be: `each((item) => item.minLength(1))`. */
    each(rules: (item: ItemWords<Entity>) => unknown): this
  }
  interface ArrayHashWords<Entity> {
    minProperties(count: number): this
    maxProperties(count: number): this
    constrain(...shapes: Shape[]): this
  }
  interface ToOneWords<Entity> {
    /** Sent on create, and never null: of a belongsTo or morphTo. */
    required(): this
  }
  interface ToManyWords<Entity> {
    /** How many members a write may leave: of a hasMany or belongsToMany. */
    minItems(count: number): this
    maxItems(count: number): this
  }
  interface FieldOptions {
    rules?: Rules
  }
}

/** An item of a list is a text or a number, by what is said of it. */
export interface ItemWords<Entity> extends StringWords<Entity>, Omit<NumberWords<Entity>, 'in' | 'notIn' | 'enum'> {}

/** Checks the members of a write against the words of their fields; all violations are told at once. */
export function validation(): Plugin {
  const plans = new Map<ResourceType, readonly Member[]>()
  const pivots = new Map<Relation, readonly Member[]>()
  return {
    name: 'validation',
    modifiers: { attribute: words, relation: relationWords },

    onCompile(registry) {
      for (const type of registry.types.values()) {
        checkRules(type, registry)
        plans.set(type, compileMembers(type.attributes, type.shape))
        for (const relation of type.relations) relation.maxMembers = relation.options.rules?.maxItems ?? null
        for (const relation of type.relations.filter(({ pivotFields }) => pivotFields.length > 0)) {
          pivots.set(relation, compileMembers(relation.pivotFields, relation.pivotShape))
        }
      }
    },

    async onValidate(operation, { attributes, linkage }, subject, faults) {
      for (const one of linkage) {
        const look = { operation, subject, pivots, faults }
        if (one.relation.toMany) await checkLinkage(one, look)
        else checkOne(one, look)
      }
      if (operation.kind === 'Create') checkRequired(linkage, { operation, faults })
      if (operation.kind !== 'Create' && operation.kind !== 'Update') return
      checkMembers(plans.get(operation.target.type) ?? [], {
        operation,
        moment: operation.kind === 'Create' ? 'onCreate' : 'onUpdate',
        place: attributes ? '/data/attributes' : '/data',
        sent: attributes ?? {},
        stored: subject as Readonly<Record<string, unknown>> | null,
        faults,
      })
    },

    appliesTo: ({ attributes }) => attributes.some(({ options }) => options.rules?.uniqueEntity),
    beforeSave: checkUnique,

    describe: describeRules,
  }
}
