import { expect } from 'chai'
import { describeApp } from '#plugins/openapi/index.ts'
import { openRecordedLibrary, startRecordedLibrary, withPlugins } from '#test/template/support/recorded-library.ts'
import { live } from '../index.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is untyped JSON
type Part = any

describe('The OpenAPI document with live collections', () => {
  let document: Part
  before(async () => {
    const plugins = withPlugins(live())
    const database = await openRecordedLibrary(plugins)
    const { app, close } = await startRecordedLibrary(database, { plugins })
    document = describeApp(app, {}).get('default')
    await close()
    await database.close()
  })

  it('describes text/event-stream beside JSON:API for collections and resources of types with changes: true', () => {
    for (const path of ['/books', '/books/{id}']) {
      const { content } = document.paths[path].get.responses[200]
      expect(Object.keys(content), path).to.deep.equal(['application/vnd.api+json', 'text/event-stream'])
      expect(content['text/event-stream'].schema).to.deep.equal({ $ref: '#/components/schemas/EventStream' })
    }
    const { type, description } = document.components.schemas.EventStream
    expect(type).to.equal('string')
    for (const event of ['snapshot', 'added', 'changed', 'removed', 'error'])
      expect(description).to.include(`\`${event}\``)
  })

  it('describes JSON:API alone for other types, related resources, relationships and writes', () => {
    const streamed = Object.entries<Part>(document.paths).flatMap(([path, { parameters: _, ...methods }]) =>
      Object.entries<Part>(methods)
        .filter(([, operation]) => JSON.stringify(operation.responses).includes('text/event-stream'))
        .map(([method]) => `${method} ${path}`),
    )
    const types = ['shelves', 'books', 'tags']
    expect(streamed).to.have.members(types.flatMap((type) => [`get /${type}`, `get /${type}/{id}`]))
  })
})
