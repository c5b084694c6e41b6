import Joi from 'joi'
import { countCodePoints } from '#kernel/plugin'

/** A text of limited length in code points, as the OpenAPI document declares it. The limits of Joi count UTF-16 units. */
export function textOfLength(minLength = 0, maxLength = Number.POSITIVE_INFINITY): Joi.StringSchema {
  const text = minLength === 0 ? Joi.string().min(0) : Joi.string() // without min(0), Joi rejects an empty text
  if (minLength === 0 && maxLength === Number.POSITIVE_INFINITY) return text
  return text.custom((value: string, { error }) => {
    const length = countCodePoints(value)
    if (length < minLength) return error('string.min', { limit: minLength })
    return length > maxLength ? error('string.max', { limit: maxLength }) : value
  })
}
