import { expect } from 'chai'
import { defineType } from '#kernel'
import { memoryStore } from '#memory'
import { declared, inLibrary } from '#test/template/specification/library-app.ts'

interface Card {
  id: string
  name: string
  mail: string
  site: string
  colour: string
  tags: string[]
  size: { unit: string } | null
}

describe('An empty value', () => {
  it('returns one fault each, whichever rules it breaks', () =>
    inLibrary({ resources: declared(cards()) }, async ({ client }) => {
      for (const [empty, list] of [
        ['', []],
        ['  ', []],
      ] as const) {
        const attributes = { name: empty, mail: empty, site: empty, colour: empty, tags: list, size: { unit: empty } }
        const { status, body } = await client.post('/cards', { data: { type: 'cards', attributes } })
        expect(status).to.equal(422)
        expect(body.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)).to.deep.equal([
          '/data/attributes/name',
          '/data/attributes/mail',
          '/data/attributes/site',
          '/data/attributes/colour',
          '/data/attributes/tags',
          '/data/attributes/size/unit',
        ])
      }
    }))
})

describe('An empty id', () => {
  it('renders no self link of the resource, and keeps the links that the type declares', () =>
    inLibrary({ resources: declared(cards(), notes()) }, async ({ client }) => {
      const plain = await client.get('/cards?sort=name')
      expect(plain.body.data.map(({ id, links }: Card & { links?: object }) => [id, links])).to.deep.equal([
        ['', undefined],
        ['1', { self: `${client.url}/cards/1` }],
      ])
      const linked = await client.get('/notes')
      expect(linked.body.data.map(({ id, links }: Card & { links?: object }) => [id, links])).to.deep.equal([
        ['', { about: 'https://example.com' }],
        ['1', { self: `${client.url}/notes/1`, about: 'https://example.com' }],
      ])
    }))
})

const rows = [
  { id: '1', name: 'Full' },
  { id: '', name: 'Blank' },
]

function cards() {
  return defineType<Card>({
    type: 'cards',
    fields: ({ id, string, email, url, arrayList, obj }) => [
      id(),
      string('name').required().minLength(2).pattern('[a-z]+').sortable(),
      email('mail').required(),
      url('site').maxLength(100),
      string('colour').minLength(3).enum(['red', 'green']),
      arrayList('tags').required().minItems(2).uniqueItems(),
      obj('size', string('unit').required().minLength(2)),
    ],
    ...memoryStore(rows),
    operations: ['FetchCollection', 'FetchOne', 'Create'],
  })
}

function notes() {
  return defineType<{ id: string }>({
    type: 'notes',
    fields: ({ id }) => [id()],
    links: { about: 'https://example.com' },
    ...memoryStore(rows),
    operations: ['FetchCollection', 'FetchOne'],
  })
}
