import Joi from 'joi'
import type { ErrorDefinition, ErrorFactory } from './errors.ts'
import { formText } from './form-faults.ts'

/** The form of the key `errors` of a resource, an action or a policy. */
export const errorsForm = Joi.array()
  .items(Joi.function().custom((value, helpers) => (isFactory(value) ? value : helpers.error('any.invalid'))))
  .messages(formText('is a list of errors, as defineError() returns them'))

/** The definitions of declared errors; values of another form are left out, because the form reports them. */
export function definitionsOf(factories: readonly ErrorFactory[] = []): ErrorDefinition[] {
  return [factories].flat().flatMap((factory) => (isFactory(factory) ? factory.definition : []))
}

function isFactory(value: unknown): value is ErrorFactory {
  return typeof value === 'function' && typeof (value as Partial<ErrorFactory>).definition?.code === 'string'
}
