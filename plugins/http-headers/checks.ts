import Joi from 'joi'
import { formText } from '#kernel/errors'
import { type CacheDirectives, type Deprecated, readShapes } from './headers.ts'

/** A fault of declared headers: the key and a sentence. */
type HeaderFault = readonly [key: string, message: string]

const seconds = Joi.number().integer().min(0).messages(formText('is a whole number of seconds'))
const headerName = Joi.string().pattern(/^[\w-]+$/)

const directives: Readonly<Record<keyof CacheDirectives, Joi.Schema>> = {
  max_age: seconds,
  s_maxage: seconds,
  public: Joi.boolean(),
  private: Joi.boolean(),
  no_cache: Joi.boolean(),
  must_revalidate: Joi.boolean(),
  vary: Joi.alternatives(headerName, Joi.array().items(headerName)).messages(
    formText('is the name of a header, or a list of names'),
  ),
}

const cacheForm = (keys: Joi.SchemaMap) =>
  Joi.object(keys).custom((value: CacheDirectives, { message }) =>
    value.public && value.private ? message({ custom: 'cannot be both public and private' }) : value,
  )

export const headerForms = {
  cacheHeaders: cacheForm({
    ...directives,
    operations: Joi.object(Object.fromEntries(readShapes.map((shape) => [shape, cacheForm(directives)]))),
  }),
  deprecation: Joi.alternatives(Joi.valid(true), Joi.string(), Joi.object().instance(Date)).messages(
    formText('is true, a text or a Date'),
  ),
  sunset: Joi.string(),
  sunsetLink: Joi.string(),
}

export function deprecationFaults({ deprecation, sunset, sunsetLink }: Deprecated): HeaderFault[] {
  const faults: HeaderFault[] = []
  if (typeof deprecation === 'string' && !/^[\x20-\x7e]+$/.test(deprecation)) {
    faults.push(['deprecation', 'The text is sent as a header; use printable ASCII only.'])
  }
  if (deprecation instanceof Date && Number.isNaN(deprecation.getTime())) {
    faults.push(['deprecation', 'The Date is invalid.'])
  }
  if (sunset !== undefined && new Date(sunset).toUTCString() !== sunset) {
    faults.push(['sunset', `'${sunset}' is not an HTTP date such as Sat, 31 Dec 2050 23:59:59 GMT.`])
  }
  if (sunsetLink !== undefined && !URL.canParse(sunsetLink)) {
    faults.push(['sunsetLink', `'${sunsetLink}' is not a URL.`])
  }
  return faults
}
