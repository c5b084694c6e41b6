import type Joi from 'joi'
import {
  type ApiError,
  type ApiRequest,
  type Attribute,
  escapePointer,
  type Input,
  isWritable,
  type NumberWords,
  type Operation,
  type Plugin,
  type ResourceType,
  type StringWords,
  validationFailed,
} from '#kernel'
import type { Bound, ComparisonName, Rules } from './rules.ts'
import { compileSchema } from './schema.ts'
import type { Shape } from './shape.ts'
import { relationWords, words } from './words.ts'

export type { Bound, ComparisonName } from './rules.ts'
export { type Shape, type ShapeSchema, shape } from './shape.ts'

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
    enum(values: Readonly<Record<string, string>> | readonly string[]): this
    minLength(length: number): this
    maxLength(length: number): this
    /** Matches somewhere; anchor it to match the whole. */
    pattern(pattern: string | RegExp): this
    email(strict?: boolean): this
    /** Of the schemes http and https, when none are given. */
    url(schemes?: readonly string[]): this
    uuid(version?: number): this
    /** Lower-case kebab, unless another form is given. */
    slug(pattern?: RegExp): this
    ip(version?: 'v4' | 'v6' | 'both'): this
  }
  interface EmailWords<Entity> {
    /** The domain must be one that can exist. */
    strict(): this
  }
  interface UrlWords<Entity> {
    allowedSchemes(...schemes: readonly [string, ...string[]]): this
  }
  interface UuidWords<Entity> {
    version(version: number): this
  }
  interface IpWords<Entity> {
    v4(): this
    v6(): this
    both(): this
  }
  interface NumberWords<Entity> {
    in(values: readonly number[]): this
    notIn(values: readonly number[]): this
    enum(values: Readonly<Record<string, number>> | readonly number[]): this
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

/** Checks the attributes of a write against the words of their fields; all violations are told at once. */
export function validation(): Plugin {
  const schemas = new Map<ResourceType, { readonly create: Joi.ObjectSchema; readonly update: Joi.ObjectSchema }>()
  return {
    name: 'validation',
    modifiers: { attribute: words, relation: relationWords },
    dormant: ['relation.minItems', 'relation.maxItems'],

    onCompile(registry) {
      for (const type of registry.types.values()) {
        schemas.set(type, { create: compileSchema(type, 'create'), update: compileSchema(type, 'update') })
      }
    },

    onInput(operation, input, _subject, faults) {
      const { type } = operation.target
      if (operation.kind !== 'Create' && operation.kind !== 'Update') return
      const schema = schemas.get(type)?.[operation.kind === 'Create' ? 'create' : 'update']
      const { error } =
        schema?.validate(input.attributes ?? {}, { abortEarly: false, convert: false, allowUnknown: true }) ?? {}
      for (const detail of error?.details ?? []) {
        if (isTaken(detail, operation)) faults.push(toFault(detail, input))
      }
    },
  }
}

/** A read-only member is passed over, not checked; nor is a read-only child. */
function isTaken({ path }: Joi.ValidationErrorItem, operation: Operation): boolean {
  let members: readonly Attribute[] = operation.target.type.attributes
  return path.every((name) => {
    const field = members.find((member) => member.name === name)
    members = field?.children ?? []
    return !field || isWritable(field, operation)
  })
}

/** The pointer names a value that was sent: of a missing member, the parent that is there. */
function toFault({ path, type, message }: Joi.ValidationErrorItem, { attributes }: Input): ApiError {
  const isMissing = type === 'any.required'
  const members = (isMissing ? path.slice(0, -1) : path).map((member) => `/${escapePointer(String(member))}`)
  const pointer = attributes ? `/data/attributes${members.join('')}` : '/data'
  return validationFailed({ message: `${message}.` }, { source: { pointer } })
}
