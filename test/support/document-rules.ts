import { AssertionError } from 'chai'
import { recordCode } from './error-codes.ts'

// Checks the rules of https://jsonapi.org/format/1.1/#document-structure on every document that a test receives.

type Json = Record<string, unknown>

const topLevelLinks = ['self', 'related', 'describedby', 'first', 'last', 'prev', 'next']
const pageLinks = ['first', 'last', 'prev', 'next']

export function checkDocument(document: unknown, status: number, contentType: string): void {
  const root = objectAt(document, 'the root')
  const isBatch = 'atomic:results' in root
  keys(root, ['data', 'errors', 'meta', 'jsonapi', 'links', 'included', 'atomic:results'], 'the root')
  const hasContent = isBatch || ['data', 'errors', 'meta'].some((member) => member in root)
  rule(hasContent, 'a document has data, errors, meta or results', root)
  checkJsonApi(root.jsonapi, contentType)
  if (root.meta !== undefined) objectAt(root.meta, 'meta')
  if ('errors' in root) {
    rule(status >= 400, 'errors only with an error status', status)
    rule(!('data' in root || 'included' in root), 'errors stand alone', root)
    checkErrors(root.errors, status)
    return
  }
  rule(status < 400, 'a document without errors has a success status', status)
  checkLinks(root.links, topLevelLinks, 'links')
  textAt((root.links as Json).self, 'links.self')
  if (isBatch) checkResults(root['atomic:results'])
  rule(!('included' in root) || 'data' in root, 'included only with data', root)
  if ('data' in root) checkPrimary(root)
}

function checkJsonApi(value: unknown, contentType: string): void {
  const jsonapi = objectAt(value, 'jsonapi')
  keys(jsonapi, ['version', 'ext', 'profile', 'meta'], 'jsonapi')
  rule(jsonapi.version === '1.1', 'jsonapi.version is 1.1', jsonapi.version)
  for (const member of ['ext', 'profile'] as const) {
    const [, uris] = new RegExp(`${member}="([^"]*)"`).exec(contentType) ?? []
    const listed = jsonapi[member] as string[] | undefined
    rule(listed?.join(' ') === uris, `jsonapi.${member} agrees with Content-Type`, [listed, contentType])
  }
}

function checkErrors(value: unknown, status: number): void {
  const errors = value as Json[]
  rule(Array.isArray(errors) && errors.length > 0, 'errors are a list that is not empty', errors)
  for (const error of errors) {
    keys(error, ['id', 'links', 'status', 'code', 'title', 'detail', 'source', 'meta'], 'an error')
    textAt(error.status, 'status of an error')
    if (errors.length === 1)
      rule(error.status === String(status), 'the status of the only error is that of the response', error)
    recordCode(error.code)
    for (const member of ['code', 'title', 'detail']) if (member in error) textAt(error[member], member)
    if (error.source === undefined) continue
    const source = objectAt(error.source, 'source')
    rule(Object.keys(source).length === 1, 'source has one member', source)
    keys(source, ['pointer', 'parameter', 'header'], 'source')
    if ('pointer' in source)
      rule(/^(\/.*)?$/s.test(textAt(source.pointer, 'pointer')), 'a pointer is a JSON pointer (RFC 6901)', source)
  }
}

function checkResults(value: unknown): void {
  rule(Array.isArray(value) && value.length > 0, 'results are a list that is not empty', value)
  for (const result of value as Json[]) {
    keys(result, ['data', 'meta'], 'a result')
    if (result.data) checkResource(objectAt(result.data, 'the data of a result'))
  }
}

function checkPrimary(root: Json): void {
  const primary = [root.data].flat().filter((item) => item !== null) as Json[]
  const included = (root.included ?? []) as Json[]
  for (const item of primary) isResource(item) ? checkResource(item) : checkIdentifier(item)
  for (const item of included) checkResource(item)
  const all = [...primary, ...included].map(identity)
  rule(all.length === new Set(all).size, 'every resource once', all)
  if (!isSparse(root)) checkFullLinkage(primary, included)
}

/** Returns whether a fieldset may have removed linkage; the self link repeats the query of the request. */
function isSparse({ links }: Json): boolean {
  return /[?&]fields(\[|%5B)/i.test((links as Json).self as string)
}

/** Asserts that every included resource is linked from the primary data. */
function checkFullLinkage(primary: readonly Json[], included: readonly Json[]): void {
  const byIdentity = new Map(included.map((resource) => [identity(resource), resource]))
  const reached = new Set<string>()
  const visit = (resource: Json) => {
    for (const target of linkedFrom(resource)) {
      if (reached.has(target)) continue
      reached.add(target)
      const next = byIdentity.get(target)
      if (next) visit(next)
    }
  }
  for (const resource of primary) {
    reached.add(identity(resource))
    visit(resource)
  }
  for (const key of byIdentity.keys()) rule(reached.has(key), 'full linkage', key)
}

function linkedFrom(resource: Json): string[] {
  const relationships = Object.values((resource.relationships ?? {}) as Record<string, Json>)
  return relationships.flatMap(({ data }) => [data ?? []].flat().map((item) => identity(item as Json)))
}

function checkResource(resource: Json): void {
  keys(resource, ['type', 'id', 'attributes', 'relationships', 'links', 'meta'], 'a resource')
  textAt(resource.type, 'type')
  textAt(resource.id, 'id')
  if (resource.attributes !== undefined) {
    const attributes = objectAt(resource.attributes, 'attributes')
    rule(!('id' in attributes || 'type' in attributes), 'no attribute is called id or type', attributes)
    rule(Object.keys(attributes).length > 0, 'empty attributes are left out', resource)
  }
  if (resource.links !== undefined) checkLinks(resource.links, null, 'links of a resource')
  if (resource.meta !== undefined) objectAt(resource.meta, 'meta of a resource')
  if (resource.relationships === undefined) return
  const relationships = objectAt(resource.relationships, 'relationships')
  rule(Object.keys(relationships).length > 0, 'empty relationships are left out', resource)
  for (const [name, value] of Object.entries(relationships)) {
    rule(!Object.hasOwn((resource.attributes ?? {}) as Json, name), 'one namespace', name)
    checkRelationship(objectAt(value, name))
  }
}

function checkRelationship(relationship: Json): void {
  keys(relationship, ['links', 'data', 'meta'], 'a relationship')
  rule(Object.keys(relationship).length > 0, 'a relationship is not empty', relationship)
  if (relationship.links !== undefined) checkLinks(relationship.links, ['self', 'related', ...pageLinks], 'links')
  for (const item of [relationship.data ?? []].flat()) checkIdentifier(objectAt(item, 'an identifier'))
}

function checkIdentifier(identifier: Json): void {
  keys(identifier, ['type', 'id', 'meta'], 'an identifier')
  textAt(identifier.type, 'type')
  textAt(identifier.id, 'id')
}

function checkLinks(value: unknown, allowed: readonly string[] | null, where: string): void {
  const links = objectAt(value, where)
  if (allowed) keys(links, allowed, where)
  rule(Object.keys(links).length > 0, `${where} are not empty`, links)
  // With `relativeLinks` they begin with the path.
  for (const link of Object.values(links)) {
    if (link === null) continue
    const href = typeof link === 'object' ? (link as Json).href : link
    rule(/^(?:https?:\/)?\/[^\s]*$/.test(textAt(href, where)), `${where} are URLs or absolute paths`, link)
  }
}

function isResource(item: Json): boolean {
  return ['attributes', 'relationships', 'links'].some((member) => member in item)
}

function identity({ type, id }: Json): string {
  return `${type} ${id}`
}

function objectAt(value: unknown, where: string): Json {
  rule(typeof value === 'object' && value !== null && !Array.isArray(value), `${where} is an object`, value)
  return value as Json
}

function keys(value: Json, allowed: readonly string[], where: string): void {
  for (const key of Object.keys(value)) rule(allowed.includes(key), `'${key}' is no member of ${where}`, value)
}

function textAt(value: unknown, where: string): string {
  rule(typeof value === 'string', `${where} is a text`, value)
  return value as string
}

/** A plain function instead of an assertion library, because it runs for every member of every document. */
function rule(holds: boolean, message: string, value: unknown): void {
  if (!holds) throw new AssertionError(`${message}: ${JSON.stringify(value)}`)
}
