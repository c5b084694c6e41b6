import { expect } from 'chai'
import { createRandomSource, type RandomSource } from '#test/conformance/random.ts'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { mediaType } from '#test/support/client.ts'
import { corruptJson, type Json } from '#test/template/support/corrupt-json.ts'
import { inLibrary } from './library-app.ts'
import { fillLibrary } from './library-rows.ts'
import { atomicMediaType, expectDocument, sendRaw } from './support.ts'

// Random input never causes a 500, and every response is a valid document (`sendRaw` checks it).

const bodies = 200
const cursors = 200

describe('Robustness', () => {
  let url: string

  before(async () => {
    url = (await catalogue()).client.url
  })

  it(`DOC-01 returns a document and no 500 for ${bodies} random bodies`, async () => {
    const draw = createRandomSource(19_970_521)
    const statuses = new Set<number>()
    markDirty()
    for (let count = 0; count < bodies; count++) {
      const { method, path, type } = draw.pick(writes)
      const body = randomBody(draw, path)
      const headers = { accept: type, 'content-type': type }
      const response = await sendRaw(url, { method, path, headers, body })
      expectDocument(response, `${method} ${path} ${body}`)
      statuses.add(response.status)
    }
    expect([...statuses]).to.include.members([201, 400, 409, 422])
  })

  it(`CUR-11 returns a document and logs no error for ${cursors} damaged cursors`, async () => {
    await fillLibrary()
    const logged: object[] = []
    const logger = { error: (details: object) => void logged.push(details), warn: () => {}, info: () => {} }
    await inLibrary({ logger }, async ({ client }) => {
      const draw = createRandomSource(18_151_223)
      const lists = ['/books', '/shelves/1/books'].flatMap((path) => bookSorts.map((sort) => `${path}?sort=${sort}`))
      const responses = await Promise.all(lists.map((list) => client.get(`${list}&page[size]=1`)))
      const outcomes = new Set<string>()
      for (let count = 0; count < cursors; count++) {
        const at = draw.below(lists.length)
        const token = new URL(responses[at]?.body.links.next).searchParams.get('page[after]') as string
        const path = `${lists[at]}&page[size]=1&page[${draw.pick(['after', 'before'])}]=${corruptCursor(token, draw)}`
        const response = await sendRaw(client.url, { path, headers: { accept: mediaType } })
        expectDocument(response, path)
        outcomes.add(response.status === 200 ? '200' : response.body.errors[0].code)
      }
      expect([...outcomes]).to.have.members(['200', 'CURSOR_MALFORMED', 'CURSOR_STALE'])
      expect(logged).to.deep.equal([])
    })
  })
})

const bookSorts = ['title', '-position', 'rating', '-printedAt,title', 'size', '-size']

const writes = [
  { method: 'POST', path: '/albums', type: mediaType },
  { method: 'POST', path: '/tracks', type: mediaType },
  { method: 'POST', path: '/artists', type: mediaType },
  { method: 'PATCH', path: '/albums/1', type: mediaType },
  { method: 'PATCH', path: '/tracks/1', type: mediaType },
  { method: 'PATCH', path: '/albums/1/relationships/artist', type: mediaType },
  { method: 'POST', path: '/operations', type: atomicMediaType },
]

const attributes: Record<string, Record<string, Json>> = {
  albums: {
    title: 'Kid A',
    releasedAt: '2000-10-02T00:00:00Z',
    explicit: false,
    status: 'released',
    availableFrom: '2000-10-02',
    releaseInfo: { label: 'Parlophone' },
  },
  tracks: { title: 'Idioteque', trackNumber: 8, durationSeconds: 309, genres: ['rock'], previewOffset: '00:00:30' },
  artists: { name: 'Air', slug: 'air', website: 'https://example.com', bio: 'A duo.' },
}

/** Returns a document as the endpoint expects it, with some members removed or corrupted. */
function randomBody(draw: RandomSource, path: string): string {
  const document = documentFor(draw, path)
  const corrupted = draw.chance(70) ? corruptJson(document, draw, 1 + draw.below(3)) : document
  const text = JSON.stringify(corrupted)
  if (draw.chance(5)) return text.slice(0, 1 + draw.below(text.length))
  return draw.chance(5) ? text.replace(/"title"|"name"|"id"/, '"__proto__"') : text
}

function documentFor(draw: RandomSource, path: string): Json {
  const [, type = ''] = path.split('/')
  if (path.endsWith('/relationships/artist')) return { data: { type: 'artists', id: draw.pick(['1', '2', '4711']) } }
  if (type !== 'operations') return { data: resourceFor(draw, type, path.endsWith('/1') ? '1' : null) }
  const operations = Array.from({ length: 1 + draw.below(3) }, () => ({
    op: 'add',
    data: resourceFor(draw, draw.pick(['albums', 'tracks', 'artists']), null),
  }))
  return { 'atomic:operations': operations }
}

function resourceFor(draw: RandomSource, type: string, id: string | null): Json {
  const artist: Json = { data: { type: 'artists', id: draw.pick(['1', '2', '4711']) } }
  return {
    type,
    ...(id && { id }),
    attributes: { ...attributes[type] },
    ...(type === 'albums' && draw.chance(60) && { relationships: { artist } }),
  }
}

/** Returns a cursor with other values, other keys, a flipped bit or a missing end. */
function corruptCursor(cursor: string, draw: RandomSource): string {
  if (draw.chance(10)) return cursor.slice(0, draw.below(cursor.length))
  if (draw.chance(20)) return encodeURIComponent(flipBit(cursor, draw.below(cursor.length), draw.below(7)))
  const token: Json = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  return Buffer.from(JSON.stringify(corruptJson(token, draw, draw.below(3)))).toString('base64url')
}

function flipBit(text: string, index: number, bit: number): string {
  return text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ (1 << bit)) + text.slice(index + 1)
}
