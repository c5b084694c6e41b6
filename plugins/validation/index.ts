import type Joi from 'joi'
import {
  type ApiError,
  type Attribute,
  escapePointer,
  type Input,
  isWritable,
  type Operation,
  type Plugin,
  type ResourceType,
  validationFailed,
} from '#kernel'
import { compileSchema } from './schema.ts'
import { type Rules, words } from './words.ts'

declare module '#kernel' {
  interface AttributeWords<Entity> {
    /** Present on create, and never blank. */
    required(): this
    requiredOnCreate(): this
    /** Null may be sent. */
    nullable(): this
    in(values: readonly (string | number)[]): this
  }
  interface StringWords<Entity> {
    minLength(length: number): this
    maxLength(length: number): this
  }
  interface NumberWords<Entity> {
    min(value: number): this
    max(value: number): this
  }
  interface ArrayListWords<Entity> {
    minItems(count: number): this
    maxItems(count: number): this
    uniqueItems(): this
  }
  interface FieldOptions {
    rules?: Rules
  }
}

/** Checks the attributes of a write against the words of their fields; all violations are told at once. */
export function validation(): Plugin {
  const schemas = new Map<ResourceType, { readonly create: Joi.ObjectSchema; readonly update: Joi.ObjectSchema }>()
  return {
    name: 'validation',
    modifiers: { attribute: words },

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
