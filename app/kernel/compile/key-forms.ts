import Joi from 'joi'
import { errorsForm } from '../errors/declared-errors.ts'
import { type Forms, formText } from '../errors/form-faults.ts'

const objectOrFunction = Joi.alternatives(Joi.object(), Joi.function()).messages(
  formText('is an object, or a function that returns one'),
)

/** The forms of keys that the kernel implements. `read-declaration.ts` checks the others. */
export const keyForms: Forms = {
  uriType: Joi.string().allow(''),
  readOnly: Joi.boolean(),
  emitsSelfLink: Joi.boolean(),
  errors: errorsForm,
  typeOf: Joi.function(),
  scope: Joi.function().allow(null), // null hides all rows
  meta: objectOrFunction,
  links: objectOrFunction,
  writer: Joi.valid('entities').messages(formText("is 'entities', or is left out")),
}

/** The forms of the options of a server that the kernel implements. */
export const serverForms: Forms = {
  prefix: Joi.string().allow(''),
  domain: Joi.string(),
  baseUri: Joi.string().allow(''),
  relativeLinks: Joi.boolean(),
  middleware: Joi.array().items(Joi.function()),
  profiles: Joi.array().items(Joi.alternatives(Joi.string(), Joi.object()).messages(formText('is a URI or a profile'))),
  parameters: Joi.object().pattern(Joi.string(), Joi.function()),
  handler: Joi.function().allow(null),
  mountManually: Joi.boolean(),
}

/** The prefix of keys that plugins add to servers: `server.paginator`. The other keys are those of declarations. */
const ofServers = 'server.'

type KeyTable = Readonly<Record<string, Joi.Schema | null>>

/** The keys that plugins add to declarations of resources. */
export function resourceKeys(plugins: readonly { readonly keys?: KeyTable }[]): Forms {
  return Object.fromEntries(listKeys(plugins).filter(([name]) => !name.startsWith(ofServers)))
}

/** The keys that plugins add to servers. */
export function serverKeys(plugins: readonly { readonly keys?: KeyTable }[]): Forms {
  const added = listKeys(plugins).filter(([name]) => name.startsWith(ofServers))
  return Object.fromEntries(added.map(([name, form]) => [name.slice(ofServers.length), form]))
}

function listKeys(plugins: readonly { readonly keys?: KeyTable }[]): [string, Joi.Schema | null][] {
  return plugins.flatMap(({ keys = {} }) => Object.entries(keys))
}
