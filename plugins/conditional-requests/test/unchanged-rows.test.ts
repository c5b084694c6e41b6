import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

describe('The version of a row', () => {
  let library: TestApp

  before(async () => {
    library = await startLibrary()
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const attributes = { title: 'Emma' }
  const shelf = (id: string | null) => ({ data: id === null ? null : { type: 'shelves', id } })
  const writes: readonly [string, string, object, unknown][] = [
    ['an attribute', '/books/1', { attributes }, { attributes: { title: 'Persuasion' } }],
    ['a to-one', '/books/1', { relationships: { shelf: shelf('1') } }, { relationships: { shelf: shelf('2') } }],
    [
      'an attribute and a to-one',
      '/books/1',
      { attributes, relationships: { shelf: shelf('1') } },
      { attributes, relationships: { shelf: shelf(null) } },
    ],
    ['a to-one by its relationship', '/books/1/relationships/shelf', shelf('1'), shelf('2')],
    ['an empty to-one by its relationship', '/books/1/relationships/shelf', shelf(null), shelf('1')],
  ]
  for (const [name, path, same, other] of writes) {
    it(`changes when a write changes ${name}, and stays when the value is the stored one`, async () => {
      const { client } = library
      const tag = async () => (await client.get('/books/1')).headers.get('etag')
      const send = async (value: unknown) => {
        const body = path.endsWith('/1') ? { data: { type: 'books', id: '1', ...(value as object) } } : value
        const { status, text } = await client.patch(path, body)
        expect(status, text).to.equal(200)
      }
      await send(same)
      const before = await tag()
      await send(same)
      expect(await tag(), 'the same value').to.equal(before)
      await send(other)
      expect(await tag(), 'another value').not.to.equal(before)
    })
  }
})
