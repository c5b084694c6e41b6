import { isObject } from './is-object.ts'

/** https://jsonapi.org/format/1.1/#document-links */
export type Link = string | LinkObject | null

export interface LinkObject {
  readonly href: string
  /** A relation type of RFC 8288. Without it, the name of the link is its relation type. */
  readonly rel?: string
  /** A description of the target, such as a JSON Schema. */
  readonly describedby?: Link
  readonly title?: string
  /** The media type of the target. */
  readonly type?: string
  /** Language tags of the target (RFC 5646). */
  readonly hreflang?: string | readonly string[]
  readonly meta?: Readonly<Record<string, unknown>>
}

export type Links = Readonly<Record<string, Link>>

/** Returns what is wrong with a link, as the end of a sentence; null if it is valid. */
export function linkFault(link: unknown): string | null {
  if (link === null) return null
  if (typeof link === 'string') return isUriReference(link) ? null : 'is not a URI reference.'
  if (!isObject(link)) return 'is not a URI reference, a link object or null.'
  if (link.href === undefined) return "has no 'href'."
  for (const [name, value] of Object.entries(link)) {
    const isValid = linkMembers[name]
    if (!isValid) return `has a member '${name}' that link objects do not have.`
    if (value !== undefined && !isValid(value)) return `has an invalid '${name}'.`
  }
  return null
}

/** Leaves out what is not a link. Returns undefined if no link is left. */
export function validLinks(links: unknown, onFault: (name: string, fault: string) => void): Links | undefined {
  const valid: Record<string, Link> = {}
  let count = 0
  for (const [name, link] of Object.entries(isObject(links) ? links : {})) {
    if (link === undefined) continue
    const fault = linkFault(link)
    if (fault !== null) onFault(name, fault)
    else {
      valid[name] = link as Link
      count++
    }
  }
  return count > 0 ? valid : undefined
}

/** The members of link objects, and whether a value is valid. */
const linkMembers: Readonly<Record<string, (value: unknown) => boolean>> = {
  __proto__: null as never,
  href: isUriReference,
  rel: (value) => isString(value) && (/^[a-z][a-z0-9.-]*$/.test(value) || URL.canParse(value)),
  describedby: (value) => linkFault(value) === null,
  title: isString,
  type: (value) => isString(value) && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;.*)?$/.test(value),
  hreflang: (value) => [value].flat().every((tag) => isString(tag) && /^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$/.test(tag)),
  meta: isObject,
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** https://www.rfc-editor.org/rfc/rfc3986#appendix-A, and brackets in queries, which browsers do not encode. */
function isUriReference(value: unknown): boolean {
  return (
    isString(value) &&
    /^(?:[\w\-.~:/?[\]@!$&'()*+,;=]|%[0-9a-f]{2})*(?:#(?:[\w\-.~:/?@!$&'()*+,;=]|%[0-9a-f]{2})*)?$/i.test(value)
  )
}
