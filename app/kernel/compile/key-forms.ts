import Joi from 'joi'
import { type Forms, formText } from '../errors/form-faults.ts'

const objectOrFunction = Joi.alternatives(Joi.object(), Joi.function()).messages(
  formText('is an object, or a function that returns one'),
)

/** The forms of keys that the kernel implements. `read-declaration.ts` checks the others. */
export const keyForms: Forms = {
  uriType: Joi.string().allow(''),
  readOnly: Joi.boolean(),
  emitsSelfLink: Joi.boolean(),
  typeOf: Joi.function(),
  scope: Joi.function().allow(null), // null hides all rows
  meta: objectOrFunction,
  links: objectOrFunction,
  writer: Joi.valid('entities').messages(formText("is 'entities', or is left out")),
}

/** The forms of the options of a server. */
export const serverForms: Forms = {
  prefix: Joi.string().allow(''),
  domain: Joi.string(),
  baseUri: Joi.string().allow(''),
  relativeLinks: Joi.boolean(),
  middleware: Joi.array().items(Joi.function()),
  paginator: Joi.object().allow(null),
  maxIncludeDepth: Joi.number().integer(),
  profiles: Joi.array().items(Joi.alternatives(Joi.string(), Joi.object()).messages(formText('is a URI or a profile'))),
  parameters: Joi.object().pattern(Joi.string(), Joi.function()),
  handler: Joi.function().allow(null),
  mountManually: Joi.boolean(),
}
