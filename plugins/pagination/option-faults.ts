import type Joi from 'joi'
import { formFaults } from '#kernel/errors'

/** The faults of the options of a function, as sentences that name the function. */
export function optionFaults(name: string, form: Joi.Schema, options: unknown): readonly string[] {
  return formFaults(form, options).map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')} of ${name}(): ${message}` : `${name}(): ${message}`,
  )
}
