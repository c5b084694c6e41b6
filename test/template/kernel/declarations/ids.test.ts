import { expect } from 'chai'
import { defineResource, defineType } from '#kernel'
import { memoryStore } from '#memory'
import type { Client } from '#test/support/client.ts'
import { declared, inLibrary } from '#test/template/specification/library-app.ts'
import { expectError, expectPlain404 } from '#test/template/specification/support.ts'
import { Tag } from '#test/template/support/library/entities.ts'

interface Stop {
  id: string
  name: string
  next: string | null
}

describe('id().generated()', () => {
  for (const [version, digit] of [
    [undefined, '4'],
    [4, '4'],
    [7, '7'],
  ] as const) {
    it(`generates a UUID of version ${digit} for uuid(${version ?? ''}), which can be fetched`, () =>
      inLibrary({ resources: declared(tags(version)) }, async ({ client }) => {
        const { status, body } = await client.post('/tags', {
          data: { type: 'tags', attributes: { name: `blue ${version}` } },
        })
        expect(status).to.equal(201)
        expect(body.data.id[14]).to.equal(digit)
        expect((await client.get(`/tags/${body.data.id}`)).status).to.equal(200)
      }))
  }
})

describe('id().pattern()', () => {
  it('accepts the same id twice when the expression has the flag g', () =>
    inLibrary({ resources: declared(stops(/[a-z][0-9]/g)) }, async ({ client }) => {
      for (const _ of [1, 2]) expect((await client.get('/stops/a1')).status).to.equal(200)
    }))
})

describe('id().matchAs()', () => {
  const inStops = (run: (client: Client) => Promise<void>) =>
    inLibrary({ resources: declared(stops()) }, ({ client }) => run(client))

  it('returns a plain 404 for a URL whose id does not match', () =>
    inStops(async (client) => {
      expect((await client.get('/stops/a1')).status).to.equal(200)
      expectPlain404(await client.get('/stops/A1'))
    }))

  it('returns 422 at /data/id for a client id that does not match', () =>
    inStops(async (client) => {
      const answer = await client.post('/stops', { data: { type: 'stops', id: 'B2', attributes: { name: 'Bay' } } })
      expectError(answer, 422, 'VALIDATION_FAILED', { pointer: '/data/id' })
    }))

  it('returns 422 at the id for linkage that does not match, in a resource and at the relationship', () =>
    inStops(async (client) => {
      const next = { data: { type: 'stops', id: 'B2' } }
      const embedded = await client.patch('/stops/a1', { data: { type: 'stops', id: 'a1', relationships: { next } } })
      expectError(embedded, 422, 'VALIDATION_FAILED', { pointer: '/data/relationships/next/data/id' })
      const linkage = await client.patch('/stops/a1/relationships/next', next)
      expectError(linkage, 422, 'VALIDATION_FAILED', { pointer: '/data/id' })
    }))

  it('is checked in addition to pattern()', () =>
    inLibrary({ resources: declared(stops('[a-z][0-5]')) }, async ({ client }) => {
      for (const id of ['c9', 'C3']) {
        const answer = await client.post('/stops', { data: { type: 'stops', id, attributes: { name: 'Cove' } } })
        expectError(answer, 422, 'VALIDATION_FAILED', { pointer: '/data/id' })
      }
      const created = await client.post('/stops', { data: { type: 'stops', id: 'c3', attributes: { name: 'Cove' } } })
      expect(created.status).to.equal(201)
    }))
})

function tags(version: number | undefined) {
  return defineResource(Tag, {
    type: 'tags',
    fields: ({ id, string }) => [id().uuid(version).generated(), string('name').required()],
  })
}

function stops(pattern?: string | RegExp) {
  return defineType<Stop>({
    type: 'stops',
    fields: ({ id, string, belongsTo }) => [
      (pattern ? id().pattern(pattern) : id()).matchAs('[a-z][0-9]').requireClientId(),
      string('name'),
      belongsTo('next', 'stops'),
    ],
    ...memoryStore([
      { id: 'a1', name: 'Arch', next: 'b2' },
      { id: 'b2', name: 'Bay', next: null },
    ]),
    operations: ['FetchOne', 'Create', 'Update'],
  })
}
