import { expect } from 'chai'
import { defineType } from '#kernel'
import { memoryProvider } from '#memory'
import type { TestApp } from '#test/support/app.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { startLibrary } from '#test/template/support/library/index.ts'

interface Page {
  id: string
  text: string
}

/** Texts of one and of several bytes per character, on both sides of the chunk boundaries. */
const words = ['plain ', 'grün ', '夜のうた ', '🎵 ', 'quo"te\\ \u2028']
const rows: Page[] = Array.from({ length: 60 }, (_, index) => ({
  id: `p ${index + 10}`,
  text: (words[index % words.length] as string).repeat(index * 4),
}))

const pages = defineType<Page>({
  type: 'pages',
  operations: ['FetchCollection', 'FetchOne'],
  fields: ({ id, string }) => [id(), string('text')],
  pagination: () => null,
  provider: memoryProvider(rows),
})

describe('Documents of more than 30,000 bytes', () => {
  let library: TestApp
  before(async () => {
    library = await startLibrary({
      resources: declared(pages),
      config: { variables: { COMPRESSION_THRESHOLD: 1024, SCHEMA_VALIDATION: 'responses' } },
    })
  })
  after(() => library.close())

  it('returns the texts of its resources and the right Content-Length', async () => {
    const { body, text, headers } = await library.client.get('/pages')
    expect(body.data.map((page: { attributes: Page }) => page.attributes.text)).to.deep.equal(
      rows.map((row) => row.text),
    )
    expect(Number(headers.get('content-length')))
      .to.equal(Buffer.byteLength(text))
      .and.to.be.above(30_000)
  })

  it('returns the same text with gzip', async () => {
    const plain = await library.client.get('/pages')
    const compressed = await library.client.get('/pages', { 'accept-encoding': 'gzip' })
    expect(compressed.headers.get('content-encoding')).to.equal('gzip')
    expect(compressed.text).to.equal(plain.text)
  })

  it('returns the same Content-Length for HEAD', async () => {
    const { headers } = await library.client.get('/pages')
    const head = await library.client.send('HEAD', '/pages')
    expect(head.headers.get('content-length')).to.equal(headers.get('content-length'))
  })
})
