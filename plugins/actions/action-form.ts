import Joi from 'joi'
import { errorsForm, formText } from '#kernel/errors'
import type { ActionDefinition } from './compile.ts'

const texts = Joi.array().items(Joi.string())

const members: Readonly<Record<keyof ActionDefinition, Joi.Schema>> = {
  name: Joi.string().allow(''),
  on: Joi.string(),
  method: Joi.string(),
  input: Joi.string(),
  inputType: Joi.string(),
  accepts: texts,
  maxBytes: Joi.number(),
  answers: Joi.any(),
  ability: Joi.string(),
  server: Joi.alternatives(Joi.string(), texts).messages(formText('is the name of a server, or a list of names')),
  tags: texts,
  summary: Joi.string(),
  description: Joi.string(),
  asLink: Joi.boolean(),
  showsSecret: Joi.boolean(),
  errors: errorsForm,
  handle: Joi.any(),
  run: Joi.function(),
  offersLink: Joi.function(),
  event: Joi.string(),
  findSubject: Joi.function(),
}

/** The form of an action. Other checks say which names, methods and answers it may have. */
export const actionForm = Joi.object(members)
