import { expect } from 'chai'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { add, sendBatch } from '#test/support/batch.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

// JSON:API requires that unknown members are ignored. In development the log names them.

describe('Attributes and relationships that are not declared', () => {
  let library: TestApp
  let warnings: (readonly [details: object, message: string])[]
  const start = async (options: TestAppOptions = {}) => {
    warnings = []
    const warn = (details: object, message: string) => void warnings.push([details, message])
    library = await startLibrary({ ...options, logger: { error() {}, info() {}, warn } })
    await emptyLibrary()
    warnings.length = 0
  }
  afterEach(() => library.close())
  after(emptyLibrary)

  const misspelt = {
    type: 'shelves',
    attributes: { name: 'Fiction', nmae: 'Poetry', colour: 'red', books: [] },
    relationships: { boks: { data: [] } },
  }
  const message = 'The request has members that its type does not declare; they are ignored.'
  const ignored = [
    "attributes.nmae of shelves. Did you mean 'name'?",
    'attributes.colour of shelves.',
    'attributes.books of shelves.',
    "relationships.boks of shelves. Did you mean 'books'?",
  ]

  it('are ignored; one line of the log names them and suggests declared names', async () => {
    await start()
    const { status, body } = await library.client.post('/shelves', { data: misspelt })
    expect(status).to.equal(201)
    expect(body.data.attributes).to.deep.include({ name: 'Fiction' })
    expect(warnings).to.deep.equal([[{ ignored }, message]])
  })

  it('are named in one line for all operations of a batch', async () => {
    await start()
    const operations = [add('shelves', { name: 'A', nmae: 'B' }), add('shelves', { name: 'C', naem: 'D' })]
    expect((await sendBatch(library.client, operations)).status).to.equal(200)
    const names = [
      "attributes.nmae of shelves. Did you mean 'name'?",
      "attributes.naem of shelves. Did you mean 'name'?",
    ]
    expect(warnings).to.deep.equal([[{ ignored: names }, message]])
  })

  it('are named up to the tenth', async () => {
    await start()
    const attributes = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`extra${index}`, 1]))
    await library.client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'A', ...attributes } } })
    const [[details]] = warnings as [[{ ignored: string[] }, string]]
    expect(details.ignored).to.have.length(11)
    expect(details.ignored.at(-1)).to.equal('20 more')
  })

  it('are not logged in production, nor if all members are declared', async () => {
    // Authentication and authorization refuse to start in production with the settings of tests.
    await start({ config: { production: true }, disabled: ['authorization', 'bearer-auth', 'api-keys'] })
    expect((await library.client.post('/shelves', { data: misspelt })).status).to.equal(201)
    expect(warnings).to.deep.equal([])
    await library.close()
    await start()
    const declared = { type: 'shelves', attributes: { name: 'Fiction' } }
    expect((await library.client.post('/shelves', { data: declared })).status).to.equal(201)
    expect(warnings).to.deep.equal([])
  })
})
