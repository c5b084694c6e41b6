import { expect } from 'chai'

// The rules of https://jsonapi.org/format/1.1/#document-structure, checked on every document a test receives.

type Json = Record<string, unknown>

const topLevelLinks = ['self', 'related', 'describedby', 'first', 'last', 'prev', 'next']
const pageLinks = ['first', 'last', 'prev', 'next']

export function checkDocument(document: unknown, status: number, contentType: string): void {
  const root = objectAt(document, 'the root')
  const isBatch = 'atomic:results' in root
  keys(root, ['data', 'errors', 'meta', 'jsonapi', 'links', 'included', 'atomic:results'], 'the root')
  expect(root, 'a document has data, errors, meta or results').to.satisfy(
    () => isBatch || ['data', 'errors', 'meta'].some((member) => member in root),
  )
  checkJsonApi(root.jsonapi, contentType)
  if (root.meta !== undefined) objectAt(root.meta, 'meta')
  if ('errors' in root) {
    expect(status, 'errors only with an error status').to.be.at.least(400)
    expect(root).not.to.have.any.keys('data', 'included')
    checkErrors(root.errors, status)
    return
  }
  expect(status, 'a document without errors has a success status').to.be.below(400)
  checkLinks(root.links, topLevelLinks, 'links')
  expect((root.links as Json).self, 'links.self').to.be.a('string')
  if (isBatch) checkResults(root['atomic:results'])
  if ('included' in root) expect(root, 'included only with data').to.have.property('data')
  if ('data' in root) checkPrimary(root)
}

function checkJsonApi(value: unknown, contentType: string): void {
  const jsonapi = objectAt(value, 'jsonapi')
  keys(jsonapi, ['version', 'ext', 'profile', 'meta'], 'jsonapi')
  expect(jsonapi.version).to.equal('1.1')
  for (const member of ['ext', 'profile'] as const) {
    const [, uris] = new RegExp(`${member}="([^"]*)"`).exec(contentType) ?? []
    expect(jsonapi[member], `jsonapi.${member} agrees with Content-Type`).to.deep.equal(uris?.split(' '))
  }
}

function checkErrors(value: unknown, status: number): void {
  const errors = value as Json[]
  expect(errors).to.be.an('array').that.is.not.empty
  for (const error of errors) {
    keys(error, ['id', 'links', 'status', 'code', 'title', 'detail', 'source', 'meta'], 'an error')
    expect(error.status, 'status of an error').to.be.a('string')
    if (errors.length === 1) expect(error.status).to.equal(String(status))
    for (const member of ['code', 'title', 'detail']) if (member in error) expect(error[member]).to.be.a('string')
    if (error.source === undefined) continue
    const source = objectAt(error.source, 'source')
    expect(Object.keys(source), 'source names one place').to.have.length(1)
    keys(source, ['pointer', 'parameter', 'header'], 'source')
    if (typeof source.pointer === 'string') expect(source.pointer).to.match(/^(\/.*)?$/)
  }
}

function checkResults(value: unknown): void {
  expect(value).to.be.an('array').that.is.not.empty
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
  expect(all, 'every resource once').to.have.length(new Set(all).size)
  if (!isSparse(root)) checkFullLinkage(primary, included)
}

/** A fieldset may have taken linkage away: the document's own link repeats the query it was asked with. */
function isSparse({ links }: Json): boolean {
  return /[?&]fields(\[|%5B)/i.test((links as Json).self as string)
}

/** Everything included is reached from the primary data. */
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
  for (const key of byIdentity.keys()) expect(reached, 'full linkage').to.include(key)
}

function linkedFrom(resource: Json): string[] {
  const relationships = Object.values((resource.relationships ?? {}) as Record<string, Json>)
  return relationships.flatMap(({ data }) => [data ?? []].flat().map((item) => identity(item as Json)))
}

function checkResource(resource: Json): void {
  keys(resource, ['type', 'id', 'attributes', 'relationships', 'links', 'meta'], 'a resource')
  expect(resource.type).to.be.a('string')
  expect(resource.id).to.be.a('string')
  if (resource.attributes !== undefined) {
    const attributes = objectAt(resource.attributes, 'attributes')
    expect(attributes, 'attributes').not.to.have.any.keys('id', 'type')
    expect(Object.keys(attributes), 'empty attributes are left out').not.to.be.empty
  }
  if (resource.links !== undefined) checkLinks(resource.links, null, 'links of a resource')
  if (resource.meta !== undefined) objectAt(resource.meta, 'meta of a resource')
  if (resource.relationships === undefined) return
  const relationships = objectAt(resource.relationships, 'relationships')
  expect(Object.keys(relationships), 'empty relationships are left out').not.to.be.empty
  for (const [name, value] of Object.entries(relationships)) {
    expect(Object.keys((resource.attributes ?? {}) as Json), 'one namespace').not.to.include(name)
    checkRelationship(objectAt(value, name))
  }
}

function checkRelationship(relationship: Json): void {
  keys(relationship, ['links', 'data', 'meta'], 'a relationship')
  expect(Object.keys(relationship), 'a relationship is not empty').not.to.be.empty
  if (relationship.links !== undefined) checkLinks(relationship.links, ['self', 'related', ...pageLinks], 'links')
  for (const item of [relationship.data ?? []].flat()) checkIdentifier(objectAt(item, 'an identifier'))
}

function checkIdentifier(identifier: Json): void {
  keys(identifier, ['type', 'id', 'meta'], 'an identifier')
  expect(identifier.type).to.be.a('string')
  expect(identifier.id).to.be.a('string')
}

function checkLinks(value: unknown, allowed: readonly string[] | null, where: string): void {
  const links = objectAt(value, where)
  if (allowed) keys(links, allowed, where)
  expect(Object.keys(links), `${where} are not empty`).not.to.be.empty
  for (const link of Object.values(links))
    expect(link, where)
      .to.be.a('string')
      .that.matches(/^https?:\/\//)
}

function isResource(item: Json): boolean {
  return ['attributes', 'relationships', 'links'].some((member) => member in item)
}

function identity({ type, id }: Json): string {
  return `${type} ${id}`
}

function objectAt(value: unknown, where: string): Json {
  expect(value, where).to.be.an('object')
  return value as Json
}

function keys(value: Json, allowed: readonly string[], where: string): void {
  for (const key of Object.keys(value)) expect(allowed, `members of ${where}`).to.include(key)
}
