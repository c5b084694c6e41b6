import { join } from 'node:path'
import { expect } from 'chai'
import type { TestApp } from '../../support/app.ts'
import { emptyLibrary, startLibrary } from '../support/library/index.ts'
import { reactAdminResources } from '../support/library/react-admin.ts'

// ra-jsonapi-client, the JSON:API data provider that the documentation of react-admin names. docs/clients.md shows the
// declaration that it needs.

/** The request is `GET_LIST`, `GET_ONE`, …, as react-admin names it. */
type Provider = (request: string, resource: string, params: object) => Promise<{ data: unknown; total?: number }>

describe('The JSON:API data provider of react-admin', () => {
  let running: TestApp
  let provide: Provider
  const pagination = { page: 1, perPage: 2 }
  const byTitle = { field: 'title', order: 'ASC' }

  before(async () => {
    await emptyLibrary()
    // The provider reads the token from the storage of the browser.
    Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: { getItem: () => null } })
    running = await startLibrary({ resources: reactAdminResources })
    const { createProvider } = await import(join(import.meta.dirname, 'others/react-admin.ts'))
    provide = createProvider(running.client.url)
    await running.client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'Fiction' } } })
    for (const title of ['Emma', 'Persuasion', 'Sanditon']) {
      const relationships = title === 'Emma' ? {} : { shelf: { data: { type: 'shelves', id: '1' } } }
      await running.client.post('/books', { data: { type: 'books', attributes: { title }, relationships } })
    }
  })
  after(async () => {
    Reflect.deleteProperty(globalThis, 'localStorage')
    await running.close()
    await emptyLibrary()
  })

  const titles = ({ data }: { data: unknown }) => (data as { title: string }[]).map(({ title }) => title)

  it('lists a page in the default order of react-admin, with the total of all pages', async () => {
    const sort = { field: 'id', order: 'DESC' }
    const listed = await provide('GET_LIST', 'books', { pagination, sort, filter: {} })
    expect(titles(listed)).to.deep.equal(['Sanditon', 'Persuasion'])
    expect(listed.total).to.equal(3)
  })

  it('sorts by a field and filters', async () => {
    const listed = await provide('GET_LIST', 'books', { pagination, sort: byTitle, filter: { title: 'an' } })
    expect(titles(listed)).to.deep.equal(['Sanditon'])
    expect(listed.total).to.equal(1)
  })

  it('reads one record, several records by id, and the records that refer to another', async () => {
    const { data } = await provide('GET_ONE', 'books', { id: '1' })
    expect(data).to.deep.include({ id: '1', title: 'Emma' })
    expect(titles(await provide('GET_MANY', 'books', { ids: ['1', '3'] }))).to.have.members(['Emma', 'Sanditon'])
    const reference = { target: 'shelf', id: '1', pagination, sort: byTitle, filter: {} }
    const referring = await provide('GET_MANY_REFERENCE', 'books', reference)
    expect(titles(referring)).to.deep.equal(['Persuasion', 'Sanditon'])
    expect(referring.total).to.equal(2)
  })

  it('creates, updates with the whole record, and deletes', async () => {
    const { data } = await provide('CREATE', 'books', { data: { title: 'The Watsons', position: 4 } })
    const record = data as { id: string; title: string; position: number; rating: number | null }
    const changed = await provide('UPDATE', 'books', { id: record.id, data: { ...record, position: 5, rating: 3 } })
    expect(changed.data).to.deep.equal({ ...record, position: 5 })
    await provide('DELETE', 'books', { id: record.id })
    expect((await running.client.get(`/books/${record.id}`)).status).to.equal(404)
  })

  it('rejects with the status and the error document', async () => {
    const refused = await provide('CREATE', 'books', { data: { title: '' } }).catch((error) => error)
    expect(refused.status).to.equal(422)
    expect(refused.message.errors[0].source.pointer).to.equal('/data/attributes/title')
  })
})
