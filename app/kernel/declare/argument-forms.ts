import Joi from 'joi'
import { formText } from '../errors/form-faults.ts'
import type { ArgumentForms } from '../schema/field.ts'

const text = Joi.string().required()
const called = Joi.function().required()
const pattern = Joi.alternatives(Joi.string(), Joi.object().instance(RegExp))
  .required()
  .messages(formText('is a text or a regular expression'))

/** The forms of arguments of the modifiers of the kernel. Restrictions such as `hidden()` fail closed instead. */
export const argumentForms: ArgumentForms = {
  uuid: [Joi.number().integer().min(1)],
  pattern: [pattern],
  matchAs: [pattern],
  generateUsing: [called],
  encodeUsing: [Joi.object({ encode: called, decode: called }).unknown().required()],
  storedAs: [text],
  on: [text],
  computedUsing: [called],
  extractUsing: [called],
  serializeUsing: [called],
  deserializeUsing: [called],
  fillUsing: [called],
  format: [text],
  useTimezone: [text],
  discriminator: [text],
  variant: [text],
  withUriFieldName: [text],
  throughProperty: [text],
  inverseType: [text],
  identifierMeta: [called],
  fields: [called],
}

export const exclusiveModifiers: readonly (readonly string[])[] = [
  ['allowClientId', 'requireClientId'],
  ['generated', 'generateUsing'],
  ['sortKeys', 'sortValues'],
]
