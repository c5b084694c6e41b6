import { expect } from 'chai'
import { defineResource, type Provider } from '#kernel'
import { sqlProvider } from '#store/read/sql-provider.ts'
import type { TestApp } from '#test/support/app.ts'
import { add, sendBatch } from '#test/support/batch.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

/** Shows titles in capitals. */
const provider: Provider = {
  ...sqlProvider,
  async one(...request) {
    const row = await sqlProvider.one(...request)
    return row && { ...row, title: String(row.title).toUpperCase() }
  },
  async many(...request) {
    const rows = await sqlProvider.many(...request)
    return rows.map((row) => ({ ...row, title: String(row.title).toUpperCase() }))
  },
}

describe('A write of a type with a provider of its own', () => {
  let library: TestApp
  before(async () => {
    await emptyLibrary()
    const resource = defineResource(Book, {
      type: 'books',
      fields: ({ id, string }) => [id(), string('title')],
      provider,
    })
    library = await startLibrary({ resources: [{ file: 'own-providers.test.ts', resource }] })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })
  const document = (attributes: object, id?: string) => ({ data: { type: 'books', ...(id && { id }), attributes } })

  it('returns the row that the provider reads after a create and an update', async () => {
    const created = await library.client.post('/books', document({ title: 'Emma' }))
    expect([created.status, created.body.data.attributes.title]).to.deep.equal([201, 'EMMA'])
    const { id } = created.body.data
    const updated = await library.client.patch(`/books/${id}`, document({ title: 'Persuasion' }, id))
    expect([updated.status, updated.body.data.attributes.title]).to.deep.equal([200, 'PERSUASION'])
  })

  it('returns the rows that the provider reads in a batch of creates', async () => {
    const { status, body } = await sendBatch(library.client, [
      add('books', { title: 'Sanditon' }),
      add('books', { title: 'Evelyn' }),
    ])
    expect(status).to.equal(200)
    const titles = body['atomic:results'].map(
      ({ data }: { data: { attributes: { title: string } } }) => data.attributes.title,
    )
    expect(titles).to.deep.equal(['SANDITON', 'EVELYN'])
  })
})
