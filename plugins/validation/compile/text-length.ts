import Joi from 'joi'
import { countCodePoints } from '#kernel/plugin'

/** A text of limited length in code points, as the OpenAPI document declares it. The limits of Joi count UTF-16 units. */
export function textOfLength(minLength = 0, maxLength = Number.POSITIVE_INFINITY): Joi.StringSchema {
  const text = minLength === 0 ? Joi.string().min(0) : Joi.string() // without min(0), Joi rejects an empty text
  if (minLength === 0 && maxLength === Number.POSITIVE_INFINITY) return text
  return text.custom((value: string, { error }) => {
    const broken = brokenLength(value, minLength, maxLength)
    return broken ? error(broken, { limit: broken === 'string.min' ? minLength : maxLength }) : value
  })
}

/** The limit that a text breaks; null if it breaks none. A code point has one or two UTF-16 units. */
export function brokenLength(text: string, minLength: number, maxLength: number): 'string.min' | 'string.max' | null {
  if (text.length >= 2 * minLength && text.length <= maxLength) return null
  const length = countCodePoints(text)
  if (length < minLength) return 'string.min'
  return length > maxLength ? 'string.max' : null
}
