import { expect } from 'chai'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { resetTestDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { Schemas } from '#test/support/schemas.ts'

// Examples of the OpenAPI document, sent to the demo as they are: what "Try it out" of the documentation page does.

// biome-ignore lint/suspicious/noExplicitAny: the document is untyped JSON
type Part = any

interface Example {
  readonly method: string
  readonly path: string
  /** The URL of the collection. */
  readonly collection: string
  /** The URL with the example id. */
  readonly url: string
  readonly media: string
  readonly body: Part
  readonly operation: Part
}

/** Types of the demo without rows: the example of the create request is sent first. */
const withoutRows = ['/genres', '/devices', '/products']

describe('Examples of the OpenAPI document', () => {
  let client: Client
  const documents = new Map<string, Part>()
  before(async () => {
    client = (await catalogue()).client
    for (const prefix of ['', '/admin'])
      documents.set(prefix, JSON.parse((await client.get(`${prefix}/docs.json`)).text))
  })
  after(markDirty)

  /** Returns the operations of both servers, with the example of their request if they have a body. */
  const operations = (): Example[] =>
    [...documents].flatMap(([prefix, { paths }]) =>
      Object.entries<Part>(paths).flatMap(([path, { parameters = [], ...methods }]) =>
        Object.entries<Part>(methods).map(([method, operation]) => {
          const [[media, content] = ['', null]] = Object.entries<Part>(operation.requestBody?.content ?? {})
          const url = prefix + path.replace('{id}', parameters[0]?.example)
          const collection = `${prefix}/${path.split('/')[1]}`
          return { method: method.toUpperCase(), path, collection, url, media, body: content?.example, operation }
        }),
      ),
    )

  const send = ({ method, media, body }: Example, url: string, token?: string) =>
    client.send(method, url, { body, headers: { 'content-type': media, accept: media, ...(token && as(token)) } })

  /** Replaces the example id in URL and body by the id of the only resource in the collection. */
  async function withCreated(example: Example): Promise<Example> {
    if (!withoutRows.includes(example.collection) || example.collection === example.url) return example
    const { id } = (await client.get(example.collection)).body.data[0]
    const exampleId = decodeURIComponent(example.url.split('/')[2] as string)
    const body = JSON.parse(JSON.stringify(example.body).replaceAll(`"${exampleId}"`, `"${id}"`))
    return { ...example, body, url: example.url.replace(exampleId, id) }
  }

  /** Whether the empty requirement is one of the alternatives. */
  const acceptsAnonymous = ({ security }: Part): boolean =>
    security?.length === 0 || (security?.some((requirement: Part) => Object.keys(requirement).length === 0) ?? false)

  const hasDocument = ({ media }: Example) => media.startsWith(mediaType)

  it('exist for every request body that is a document', () => {
    const missing = operations().filter((example) => hasDocument(example) && example.body === undefined)
    expect(missing.map(({ operation }) => operation.operationId)).to.deep.equal([])
  })

  it('of requests match the schema of the body', () => {
    for (const [prefix, document] of documents) {
      const schemas = new Schemas(document)
      const examples = operations().filter(
        ({ url, body }) => body && url.startsWith('/admin/') === (prefix === '/admin'),
      )
      for (const { operation, media, body } of examples) {
        const validate = schemas.compile(operation.requestBody.content[media].schema)
        expect(validate(body), `${operation.operationId} ${JSON.stringify(validate.errors)}`).to.equal(true)
      }
    }
  })

  it('contain no id of a new resource unless the client chooses it', () => {
    const creates = operations().filter(({ operation }) => operation.operationId.startsWith('create.'))
    const withId = creates.filter(({ body }) => 'id' in body.data)
    expect(withId.map(({ path }) => path)).to.deep.equal(['/genres'])
  })

  it('of requests, relationships included, succeed in a fresh demo for the principal that the description names', async () => {
    const named: string[] = []
    let collection = ''
    for (const example of operations().filter(hasDocument)) {
      if (example.collection !== collection) await resetTestDatabase()
      collection = example.collection
      const { operationId, description } = example.operation
      const request = await withCreated(example)
      const [, token] = /The example succeeds for the principal `([^`]+)`\.$/.exec(description) ?? []
      if (token) named.push(operationId)
      const { status, text } = await send(request, request.url, token)
      expect(status, `${operationId} as ${token}: ${text}`).to.be.lessThan(300)
    }
    expect(named).to.include.members(['update.playlists', 'addRelationship.tracks.playlists', 'action.albums.reissue'])
    expect(named).not.to.include('create.albums')
  })

  it('that name no principal are of operations whose security allows anonymous callers', () => {
    const others = operations().filter(({ body, operation }) => body && !acceptsAnonymous(operation))
    const unnamed = others.filter(({ operation }) => !operation.description.includes('for the principal'))
    expect(unnamed.map(({ operation }) => operation.operationId)).to.deep.equal([])
  })

  it('of operations whose security allows anonymous callers are never 401', async () => {
    await resetTestDatabase()
    const reads = operations().filter(({ method }) => method === 'GET')
    const statuses = new Map<string, number>()
    for (const { url, operation } of reads) statuses.set(operation.operationId, (await client.get(url)).status)
    const open = reads
      .filter(({ operation }) => acceptsAnonymous(operation))
      .map(({ operation }) => operation.operationId)
    expect(open).to.include.members(['fetchCollection.albums', 'fetchOne.playlists'])
    expect(open.filter((id) => statuses.get(id) === 401)).to.deep.equal([])
    const denied = [...statuses].filter(([, status]) => status === 401).map(([id]) => id)
    expect(denied).to.have.members([
      'fetchCollection.export-jobs',
      'fetchRelationship.playlists.owner',
      'fetchRelated.playlists.owner',
    ])
  })

  it('of ids are ids of resources that exist in the demo', async () => {
    await resetTestDatabase()
    const reads = operations().filter(({ operation }) => operation.operationId.startsWith('fetchOne.'))
    const missing: string[] = []
    for (const { path, url } of reads) {
      const { status } = await client.get(url)
      if (status !== 200) missing.push(path.replace('/{id}', ''))
    }
    expect(missing).to.have.members(withoutRows)
  })

  it('of errors match their schema and have the status of their response', () => {
    for (const { paths, components } of documents.values()) {
      const schemas = new Schemas({ components })
      for (const { operationId, responses = {} } of Object.values<Part>(paths).flatMap(Object.values<Part>)) {
        for (const status of Object.keys(responses).filter((key) => Number(key) >= 400)) {
          const { $ref } = responses[status]
          const { content } = $ref ? components.responses[$ref.split('/').at(-1)] : responses[status]
          const [{ schema }] = Object.values<Part>(content)
          const [example] = schema.examples
          expect(example.errors[0].status, `${operationId} ${status}`).to.equal(status)
          const validate = schemas.compile(schema)
          expect(validate(example), `${operationId} ${JSON.stringify(validate.errors)}`).to.equal(true)
        }
      }
    }
    const { schema } = documents.get('').components.responses.NotFound.content['application/vnd.api+json']
    expect(schema.examples[0].errors[0]).to.deep.include({ status: '404', code: 'RESOURCE_NOT_FOUND' })
  })
})
