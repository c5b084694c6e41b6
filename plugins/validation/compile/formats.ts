import Joi from 'joi'
import type { AttributeKind } from '#kernel/plugin'
import type { Format } from '../rules.ts'

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/
const ipVersions = { v4: ['ipv4'], v6: ['ipv6'], both: ['ipv4', 'ipv6'] }

/** Returns the default format of a kind, which a modifier of the field may replace; undefined if it has none. */
export function findFormat(kind: AttributeKind): Format | undefined {
  switch (kind) {
    case 'email':
      return { kind, strict: false }
    case 'url':
      return { kind, schemes: ['http', 'https'] }
    case 'uuid':
    case 'slug':
      return { kind }
    case 'ip':
      return { kind, version: 'both' }
    default:
      return undefined
  }
}

export function withFormat(text: Joi.StringSchema, format: Format): Joi.StringSchema {
  switch (format.kind) {
    case 'email': {
      const { strict } = format
      return text.email({ tlds: { allow: false }, minDomainSegments: strict ? 2 : 1, allowUnicode: !strict })
    }
    case 'url':
      return withSchemes(text, format.schemes)
    case 'uuid': {
      const version = format.version && { version: [`uuidv${format.version}` as const] }
      return text.guid({ separator: '-', wrapper: false, ...version })
    }
    case 'slug':
      return text.pattern(format.pattern ?? kebabCase, 'slug')
    case 'ip':
      return text.ip({ version: ipVersions[format.version], cidr: 'forbidden' })
  }
}

/** A scheme has no case: https://www.rfc-editor.org/rfc/rfc3986#section-3.1. Joi compares it with the lower case. */
function withSchemes(text: Joi.StringSchema, schemes: readonly string[]): Joi.StringSchema {
  const uri = Joi.string().uri({ scheme: [...schemes] })
  return text.custom((value: string, { error }) => {
    const { error: fault } = uri.validate(value.replace(/^[a-z][a-z0-9+.-]*:/i, (scheme) => scheme.toLowerCase()))
    return fault ? error('string.uriCustomScheme', { scheme: schemes.join('|') }) : value
  })
}
