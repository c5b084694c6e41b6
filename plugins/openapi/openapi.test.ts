import { expect } from 'chai'
import { defineResource } from '#kernel'
import { buildApp } from '#test/support/app.ts'
import { Label, Shelf } from '#test/support/library/entities.ts'
import { libraryDatabase } from '#test/support/library/index.ts'

// What declarations say for the documentation is kept; nobody publishes it yet.

describe('The plugin openapi', () => {
  it('keeps descriptions and examples of attributes and relations', async () => {
    const labels = defineResource(Label, {
      type: 'labels',
      tags: ['Library'],
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('text').describedAs('What is written on it').example('Fiction'),
        belongsTo('shelf', 'shelves').describedAs('Where it hangs'),
      ],
    })
    const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id }) => [id()] })
    const resources = [labels, shelves].map((resource) => ({ file: 'test', resource }))
    const app = await buildApp({ resources, database: await libraryDatabase() })
    const { attributes = [], relations = [], declaration } = app.registry.types.get('labels') ?? {}
    expect(attributes[0]?.options).to.deep.include({ description: 'What is written on it', example: 'Fiction' })
    expect(relations[0]?.options).to.deep.include({ description: 'Where it hangs' })
    expect(declaration?.tags).to.deep.equal(['Library'])
    await app.close()
  })
})
