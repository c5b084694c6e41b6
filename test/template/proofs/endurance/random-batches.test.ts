import { expect } from 'chai'
import { createRandomSource } from '#test/conformance/random.ts'
import { readTables, sendBatch } from '#test/support/batch.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'

// 500 random batches, most of them invalid: none causes a 500, each rejected batch leaves every table unchanged and points
// to a value in the request.

const batches = 500
const { pick, chance, below } = createRandomSource(20_250_611)
const types = ['albums', 'artists', 'tracks', 'playlists', 'libraries', 'favorites', 'releases', 'devices', 'products']
const relations = [
  'artist',
  'tracks',
  'albums',
  'album',
  'playlists',
  'orderedTracks',
  'publicOwner',
  'items',
  'parent',
]
const ids = [
  '1',
  '2',
  '3',
  '99',
  '00000000-0000-4000-8000-000000000001',
  'prod-1',
  'x',
  '99999999999999999999',
  '\u0000',
]
const lids = ['a', 'b', 'c']
const values = [
  'Low',
  '',
  0,
  -1,
  1.5,
  1e20,
  true,
  null,
  '2020-01-01',
  'x'.repeat(300),
  [],
  ['rock'],
  {},
  { medium: 'cd' },
]
const attributeNames = ['title', 'trackNumber', 'status', 'releaseInfo', 'explicit', 'releasedAt', 'genres', 'format']

describe('Random batches', () => {
  it('returns no 500, and changes nothing when a batch is rejected', async () => {
    const { client } = await catalogue()
    const statuses = new Map<number, number>()
    let stored = await tables()
    for (let index = 0; index < batches; index++) {
      const operations = Array.from({ length: 1 + below(5) }, () => (chance(55) ? validAdd() : anyOperation()))
      const response = await sendBatch(client, operations)
      const sent = JSON.stringify(operations)
      expect(response.status, `${sent} ${response.text}`).to.be.below(500)
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      const now = await tables()
      if (response.status >= 400) {
        expect(now, sent).to.equal(stored)
        expectPointers(response, operations, sent)
      }
      stored = now
    }
    expect([...statuses.keys()]).to.include.members([200, 400, 403, 404, 409, 422])
    expect(statuses.get(200)).to.be.above(batches / 20)
  })
})

async function tables(): Promise<string> {
  return JSON.stringify(await readTables(await testDatabase()))
}

/** Asserts that every pointer leads to a value in the document. */
function expectPointers({ body }: ClientResponse, operations: readonly unknown[], sent: string): void {
  for (const { source } of body.errors) {
    const path: string[] = source.pointer.split('/').slice(1)
    const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key.replaceAll('~1', '/')], {
      'atomic:operations': operations,
    })
    expect(value, `${source.pointer} in ${sent}`).not.to.equal(undefined)
  }
}

function validAdd(): object {
  const attributes = { title: 'Title', name: 'Name', label: 'Label', catalogNumber: 'Number' }
  return { op: 'add', data: { type: pick(types), ...(chance(60) && { lid: pick(lids) }), attributes } }
}

function anyOperation(): unknown {
  if (chance(2)) return pick(values)
  const target = chance(60) ? { ref: anyRef() } : { href: anyHref() }
  return {
    op: chance(98) ? pick(['add', 'update', 'remove']) : pick(values),
    ...(chance(70) && target),
    ...(chance(95) && { data: chance(50) ? anyResource() : anyLinkage() }),
  }
}

function anyRef(): unknown {
  if (chance(3)) return pick(values)
  const identity = chance(60) ? { id: pick(ids) } : { lid: pick(lids) }
  return { type: pick(types), ...identity, ...(chance(50) && { relationship: pick(relations) }) }
}

function anyHref(): unknown {
  const resource = `/${pick(types)}/${encodeURIComponent(pick(ids))}`
  return pick([`/${pick(types)}`, resource, `${resource}/relationships/${pick(relations)}`, pick(values)])
}

function anyResource(): unknown {
  const relationships = { [pick(relations)]: chance(95) ? { data: anyLinkage() } : pick(values) }
  return {
    type: chance(95) ? pick(types) : pick(values),
    ...(chance(50) && { id: pick(ids) }),
    ...(chance(30) && { lid: chance(95) ? pick(lids) : pick(values) }),
    ...(chance(90) && { attributes: { title: 'Title', name: 'Name', [pick(attributeNames)]: pick(values) } }),
    ...(chance(50) && { relationships: chance(95) ? relationships : pick(values) }),
  }
}

function anyLinkage(): unknown {
  return pick([null, anyIdentifier(), [], [anyIdentifier()], [anyIdentifier(), anyIdentifier()], pick(values)])
}

function anyIdentifier(): unknown {
  const meta = { pivot: chance(90) ? { position: pick([1, 2, ...values]) } : pick(values) }
  const identity = chance(60) ? { id: pick(ids) } : { lid: pick(lids) }
  return { type: pick(types), ...identity, ...(chance(40) && { meta }) }
}
