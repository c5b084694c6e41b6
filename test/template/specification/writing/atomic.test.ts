import { expect } from 'chai'
import {
  add,
  addAs,
  atomicHeaders,
  atomicMediaType,
  atomicUri,
  expectFailure,
  readResults,
  readTables,
  relate,
  remove,
  sendBatch,
  update,
} from '#test/support/batch.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'

// https://jsonapi.org/ext/atomic

const album = { type: 'albums', id: '1' }
const artistOf = (id: string) => ({ type: 'artists', id })
const trackOf = (id: string) => ({ type: 'tracks', id })

describe('Atomic operations', () => {
  let client: Client
  const send = (...operations: unknown[]) => sendBatch(client, operations)
  const post = (body: unknown) => client.post('/operations', body, atomicHeaders)
  const attributesOf = async (path: string) => (await client.get(path)).body.data.attributes
  const linkageOf = async (path: string) => (await client.get(path)).body.data

  before(async () => {
    client = (await catalogue()).client
  })

  describe('documents', () => {
    it('ATO-01 returns the extension URI in Content-Type and in jsonapi.ext, and prefixes its member with the namespace', async () => {
      const response = await send(add('devices', { label: 'rock' }))
      expect(response.headers.get('content-type')).to.equal(atomicMediaType)
      expect(response.body.jsonapi.ext).to.deep.equal([atomicUri])
      expect(Object.keys(response.body).filter((member) => member.includes(':'))).to.deep.equal(['atomic:results'])
    })

    it('ATO-02 returns 400 when data or included stand beside the operations, and returns neither member', async () => {
      const operations = [add('devices', { label: 'rock' })]
      for (const member of ['data', 'included']) {
        const response = await post({ 'atomic:operations': operations, [member]: [] })
        expectFailure(response, 400, 'ATOMIC_OPERATIONS_INVALID', `/${member}`)
      }
      const response = await post({ 'atomic:operations': operations, meta: {}, links: {}, jsonapi: { version: '1.1' } })
      expect(response.body).to.have.all.keys('atomic:results', 'links', 'jsonapi')
    })

    it('ATO-03 returns 400 when a document has both operations and results', async () => {
      const response = await post({ 'atomic:operations': [add('devices', { label: 'rock' })], 'atomic:results': [] })
      expectFailure(response, 400, 'ATOMIC_OPERATIONS_INVALID', '/atomic:results')
    })

    for (const [value, body, pointer] of [
      ['an empty list', { 'atomic:operations': [] }, '/atomic:operations'],
      ['an object', { 'atomic:operations': {} }, '/atomic:operations'],
      ['missing', { meta: {} }, ''],
      ['a list of numbers', { 'atomic:operations': [1] }, '/atomic:operations/0'],
    ] as const) {
      it(`ATO-04 returns 400 when atomic:operations is ${value} instead of a list of objects`, async () => {
        expectFailure(await post(body), 400, 'ATOMIC_OPERATIONS_INVALID', pointer)
      })
    }

    it('ATO-05 returns errors without results when an operation fails, and 400 when the request has errors', async () => {
      const { body } = await send(add('devices', { label: 'rock' }), add('devices', {}))
      expect(body).to.have.all.keys('errors', 'jsonapi')
      const errors = await post({ 'atomic:operations': [add('devices', { label: 'rock' })], errors: [] })
      expectFailure(errors, 400, 'ATOMIC_OPERATIONS_INVALID', '/errors')
    })

    it('ATO-11 accepts meta in an operation, and returns an empty result where no data is required', async () => {
      const response = await send(
        { ...add('devices', { label: 'rock' }), meta: { note: 1 } },
        update(album, {}),
        relate('update', { ...album, relationship: 'artist' }, artistOf('2')),
      )
      const [added, updated, related] = response.body['atomic:results']
      expect(added).to.have.all.keys('data')
      expect(updated).to.have.all.keys('data')
      expect(related).to.deep.equal({})
    })

    it('ATO-12 returns 405 with Allow for every method but POST, whatever the request accepts', async () => {
      for (const method of ['GET', 'HEAD', 'PATCH', 'PUT', 'DELETE']) {
        for (const headers of [{}, { accept: '*/*' }, { accept: 'application/vnd.api+json' }]) {
          const { status, headers: sent } = await client.send(method, '/operations', { headers })
          expect([method, status, sent.get('allow')]).to.deep.equal([method, 405, 'POST, OPTIONS'])
        }
      }
    })

    it('ATO-12 returns 405 for every method but POST', async () => {
      for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
        expect((await client.send(method, '/operations', { headers: atomicHeaders })).status, method).to.equal(405)
      }
    })
  })

  describe('operations', () => {
    it('ATO-06 returns 400 when op is missing or is not add, update or remove', async () => {
      for (const op of [undefined, null, 'replace', 'ADD', 1, ['add']]) {
        expectFailure(
          await send({ ...add('devices', { label: 'rock' }), op }),
          400,
          'ATOMIC_OPERATIONS_INVALID',
          '/atomic:operations/0',
        )
      }
    })

    it('ATO-07 returns 400 when an operation has both ref and href', async () => {
      const response = await send({ op: 'remove', ref: album, href: '/albums/1' })
      expectFailure(response, 400, 'ATOMIC_OPERATIONS_INVALID', '/atomic:operations/0')
    })

    it('ATO-08 accepts a ref of type and id or lid, with or without a relationship', async () => {
      const response = await send(
        addAs('a', 'albums', { title: 'Third' }),
        update(album, { title: 'Changed' }),
        update({ type: 'albums', lid: 'a' }, { title: 'Fourth' }),
        relate('update', { ...album, relationship: 'artist' }, artistOf('2')),
        relate('update', { type: 'albums', lid: 'a', relationship: 'artist' }, artistOf('2')),
      )
      const [, , changed] = readResults(response)
      expect(changed?.attributes?.title).to.equal('Fourth')
      expect((await client.get(`/albums/${changed?.id}/artist`)).body.data.id).to.equal('2')
    })

    for (const ref of [
      { type: 'albums' },
      { id: '1' },
      { type: 'albums', relationship: 'artist' },
      { type: 'albums', id: '1', lid: 'a' },
      { type: 'albums', id: 1 },
      { type: 'albums', id: '' },
      { type: 'albums', lid: '' },
      { type: 1, id: '1' },
      { type: 'albums', id: '1', relationship: 5 },
      { type: 'albums', id: '1', relationship: null },
      null,
      'albums/1',
      [album],
    ]) {
      it(`ATO-08 returns 400 when ref is ${JSON.stringify(ref)}`, async () => {
        const response = await send({ op: 'update', ref, data: null })
        expectFailure(response, 400, 'ATOMIC_OPERATIONS_INVALID', '/atomic:operations/0/ref')
      })
    }

    it('ATO-09 returns 400 and writes nothing when no earlier operation has assigned the lid', async () => {
      const before = await readTables(await testDatabase())
      const renamed = update({ type: 'devices', lid: 'a' }, { label: 'pop' })
      const added = addAs('a', 'devices', { label: 'rock' })
      expectFailure(await send(renamed), 400, 'LOCAL_ID_NOT_FOUND', '/atomic:operations/0')
      expectFailure(await send(renamed, added), 400, 'LOCAL_ID_NOT_FOUND', '/atomic:operations/0')
      const other = [added, remove({ type: 'artists', lid: 'a' })]
      expectFailure(await send(...other), 400, 'LOCAL_ID_NOT_FOUND', '/atomic:operations/1')
      expect(await readTables(await testDatabase())).to.deep.equal(before)
    })

    it('ATO-10 accepts absolute and relative URLs as href', async () => {
      for (const href of ['/albums/1', 'albums/1', './albums/1', `${client.url}/albums/1`]) {
        const response = await send({ op: 'update', href, data: { ...album, attributes: { title: href } } })
        expect(readResults(response)[0]).to.deep.include(album)
        expect((await attributesOf('/albums/1')).title).to.equal(href)
      }
    })

    it('ATO-20 creates the resource in the collection named by href', async () => {
      const [device] = readResults(
        await send({ op: 'add', href: '/devices', data: { type: 'devices', attributes: { label: 'rock' } } }),
      )
      expect((await attributesOf(`/devices/${device?.id}`)).label).to.equal('rock')
    })

    it('ATO-21 returns 400 when data or its type is missing in an add', async () => {
      for (const data of [undefined, null, [], { attributes: { name: 'rock' } }, { type: '' }]) {
        expectFailure(await send({ op: 'add', data }), 400, 'ATOMIC_OPERATIONS_INVALID', '/atomic:operations/0')
      }
      const response = await send({ op: 'add', href: '/devices', data: { attributes: { name: 'rock' } } })
      expectFailure(response, 400, 'RESOURCE_TYPE_MISSING', '/atomic:operations/0/data')
    })

    it('ATO-22 returns the created resource with its id', async () => {
      const [artist] = readResults(await send(add('artists', { name: 'Low' })))
      expect(artist?.id).to.match(/^\d+$/)
      expect(artist?.attributes).to.include({ name: 'Low', slug: 'low' })
      expect(artist).to.deep.equal((await client.get(`/artists/${artist?.id}`)).body.data)
    })

    it('ATO-24 updates the resource identified by ref, href or data', async () => {
      const attributes = { title: 'Changed' }
      for (const operation of [
        { op: 'update', ref: { type: 'albums', id: '2' }, data: { type: 'albums', attributes } },
        { op: 'update', href: '/albums/2', data: { type: 'albums', attributes } },
        { op: 'update', data: { type: 'albums', id: '2', attributes } },
      ]) {
        await client.patch('/albums/2', { data: { type: 'albums', id: '2', attributes: { title: 'Dummy' } } })
        expect(readResults(await send(operation))[0]?.attributes?.title).to.equal('Changed')
        expect((await attributesOf('/albums/2')).title).to.equal('Changed')
      }
    })

    it('ATO-25 returns the updated resource including attributes that were not sent', async () => {
      const [changed] = readResults(await send(update({ type: 'tracks', id: '1' }, { title: 'Changed' })))
      expect(changed?.attributes).to.include({ title: 'Changed', displayTitle: '1. Changed', trackNumber: 1 })
    })

    it('ATO-26 deletes the resource identified by ref or href, and returns 400 when both are missing', async () => {
      const [first, second] = readResults(await send(add('devices', { label: 'a' }), add('devices', { label: 'b' })))
      const response = await send(
        remove({ type: 'devices', id: first?.id as string }),
        { op: 'remove', href: `/devices/${second?.id}` },
        add('devices', { label: 'c' }),
      )
      expect(response.status, response.text).to.equal(200)
      expect((await client.get('/devices')).body.data).to.have.length(1)
      const neither = await send({ op: 'remove', data: { type: 'devices', id: '1' } })
      expectFailure(neither, 400, 'ATOMIC_OPERATIONS_INVALID', '/atomic:operations/0')
    })

    it('ATO-28 returns 400 when a relationship operation has neither ref nor href', async () => {
      for (const op of ['add', 'update', 'remove']) {
        for (const data of [null, [trackOf('1')]]) {
          expectFailure(await send({ op, data }), 400, 'ATOMIC_OPERATIONS_INVALID', '/atomic:operations/0')
        }
      }
    })

    it('ATO-29 replaces a to-one relationship with an identifier, and clears it with null', async () => {
      const target = { ...album, relationship: 'artist' }
      expect((await send(relate('update', target, artistOf('2')))).status).to.equal(204)
      expect(await linkageOf('/albums/1/relationships/artist')).to.deep.equal(artistOf('2'))
      expect((await send({ op: 'update', href: '/albums/1/relationships/artist', data: null })).status).to.equal(204)
      expect(await linkageOf('/albums/1/relationships/artist')).to.equal(null)
    })

    it('ATO-30 adds members to a to-many relationship, removes members, and replaces all of them', async () => {
      const target = { ...album, relationship: 'tracks' }
      const ids = async () =>
        (await linkageOf('/albums/1/relationships/tracks')).map(({ id }: { id: string }) => id).sort()
      expect((await send(relate('add', target, [trackOf('4')]))).status).to.equal(204)
      expect(await ids()).to.deep.equal(['1', '2', '3', '4'])
      expect((await send(relate('remove', target, [trackOf('1'), trackOf('2')]))).status).to.equal(204)
      expect(await ids()).to.deep.equal(['3', '4'])
      expect((await send(relate('update', target, [trackOf('1')]))).status).to.equal(204)
      expect(await ids()).to.deep.equal(['1'])
    })

    it('ATO-31 returns 403 for add and remove on a to-one relationship', async () => {
      for (const op of ['add', 'remove'] as const) {
        for (const data of [artistOf('2'), [artistOf('2')]]) {
          const response = await send(relate(op, { ...album, relationship: 'artist' }, data))
          expectFailure(response, 403, 'RELATIONSHIP_TYPE_INAPPROPRIATE', '/atomic:operations/0')
        }
      }
    })

    it('ATO-32 accepts a lid in ref, linkage, members and data, mixed with ids', async () => {
      const response = await send(
        addAs('a', 'artists', { name: 'Low' }),
        addAs('b', 'albums', { title: 'Trust' }, { artist: { type: 'artists', lid: 'a' } }),
        addAs('c', 'tracks', { title: 'Canada' }),
        relate('add', { type: 'albums', lid: 'b', relationship: 'tracks' }, [
          { type: 'tracks', lid: 'c' },
          trackOf('4'),
        ]),
        relate('update', { ...album, relationship: 'artist' }, { type: 'artists', lid: 'a' }),
        { op: 'update', data: { type: 'albums', lid: 'b', attributes: { title: 'Changed' } } },
        add('libraries', {}, { items: [{ type: 'tracks', lid: 'c' }, album, { type: 'artists', lid: 'a' }] }),
      )
      const [artist, made, track, , , changed, library] = readResults(response)
      expect(changed?.id).to.equal(made?.id)
      expect(made?.relationships?.artist?.data).to.deep.equal(artistOf(artist?.id as string))
      expect(await linkageOf('/albums/1/relationships/artist')).to.deep.equal(artistOf(artist?.id as string))
      const { included } = (await client.get(`/albums/${made?.id}?include=tracks`)).body
      expect(included.map(({ id }: { id: string }) => id)).to.have.members([track?.id, '4'])
      const items = await linkageOf(`/libraries/${library?.id}/relationships/items`)
      expect(items.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)).to.deep.equal([
        `tracks ${track?.id}`,
        'albums 1',
        `artists ${artist?.id}`,
      ])
    })
  })

  describe('the batch', () => {
    it('ATO-13 runs operations in their order', async () => {
      const response = await send(
        addAs('a', 'devices', { label: 'first' }),
        update({ type: 'devices', lid: 'a' }, { label: 'second' }),
        update({ type: 'devices', lid: 'a' }, { label: 'third' }),
      )
      const results = readResults(response)
      expect(results.map(({ attributes }) => attributes?.label)).to.deep.equal(['first', 'second', 'third'])
      expect((await attributesOf(`/devices/${results[0]?.id}`)).label).to.equal('third')
    })

    it('ATO-14 rolls back every operation when the last one fails', async () => {
      const before = await readTables(await testDatabase())
      const response = await send(
        addAs('a', 'tracks', { title: 'New' }),
        update(album, { title: 'Changed' }),
        remove({ type: 'releases', id: '1' }),
        relate('update', { ...album, relationship: 'artist' }, null),
        relate('add', { ...album, relationship: 'tracks' }, [{ type: 'tracks', lid: 'a' }]),
        relate('remove', { type: 'libraries', id: '1', relationship: 'items' }, [trackOf('1')]),
        add('tracks', {}),
      )
      expectFailure(response, 422, 'VALIDATION_FAILED', '/atomic:operations/6/data/attributes')
      expect(await readTables(await testDatabase())).to.deep.equal(before)
    })

    it('ATO-15 returns one result per operation, in the order of the operations', async () => {
      const [old] = readResults(await send(add('devices', { label: 'old' })))
      const response = await send(
        add('devices', { label: 'a' }),
        remove({ type: 'devices', id: old?.id as string }),
        add('devices', { label: 'b' }),
      )
      expect(response.status).to.equal(200)
      const results = response.body['atomic:results']
      expect(results).to.have.length(3)
      expect(results[0].data.attributes.label).to.equal('a')
      expect(results[1]).to.deep.equal({})
      expect(results[2].data.attributes.label).to.equal('b')
    })

    it('ATO-16 ATO-27 returns 204 without a body when no operation returns data', async () => {
      const [device] = readResults(await send(add('devices', { label: 'old' })))
      const response = await send(
        remove({ type: 'devices', id: device?.id as string }),
        relate('update', { ...album, relationship: 'artist' }, artistOf('2')),
        relate('add', { ...album, relationship: 'tracks' }, [trackOf('4')]),
      )
      expect(response.status).to.equal(204)
      expect(response.text).to.equal('')
      expect(response.headers.get('content-type')).to.equal(null)
    })

    it('ATO-17 points to the attribute that is invalid', async () => {
      const response = await send(add('tracks', { title: 'ok' }), add('tracks', { title: '' }))
      expectFailure(response, 422, 'VALIDATION_FAILED', '/atomic:operations/1/data/attributes/title')
    })

    it('ATO-18 returns 400 pointing to the malformed operation', async () => {
      for (const operation of [null, {}, { op: 'add' }, { op: 'update', ref: album }, { op: 'remove' }]) {
        const response = await send(add('tracks', { title: 'ok' }), operation)
        expectFailure(response, 400, 'ATOMIC_OPERATIONS_INVALID', '/atomic:operations/1')
      }
    })

    const failures: readonly (readonly [
      failure: string,
      operation: object,
      status: number,
      code: string,
      at: string,
    ])[] = [
      [
        'a create',
        add('tracks', { trackNumber: 0, title: 'x' }),
        422,
        'VALIDATION_FAILED',
        '/data/attributes/trackNumber',
      ],
      ['an update', update({ type: 'albums', id: '404' }, {}), 404, 'RESOURCE_NOT_FOUND', ''],
      ['a deletion', remove({ type: 'devices', id: '404' }), 404, 'RESOURCE_NOT_FOUND', ''],
      ['a deletion of a referenced resource', remove(artistOf('1')), 409, 'CONFLICT', ''],
      [
        'a change of a to-one',
        relate('update', { ...album, relationship: 'artist' }, artistOf('404')),
        404,
        'RESOURCE_NOT_FOUND',
        '/data',
      ],
      [
        'an addition to a to-many',
        relate('add', { ...album, relationship: 'tracks' }, [trackOf('1'), trackOf('404')]),
        404,
        'RESOURCE_NOT_FOUND',
        '/data/1',
      ],
      [
        'a replacement of a to-many that cannot be replaced',
        relate('update', { ...trackOf('1'), relationship: 'playlists' }, []),
        403,
        'FULL_REPLACEMENT_PROHIBITED',
        '/data',
      ],
    ]
    for (const [failure, operation, status, code, at] of failures) {
      it(`ATO-19 ATO-23 returns ${status} for ${failure} that fails and rolls back the other operations`, async () => {
        expectFailure(
          await send(add('devices', { label: 'rock' }), operation),
          status,
          code,
          `/atomic:operations/1${at}`,
        )
        expect((await client.get('/devices')).body.data).to.deep.equal([])
      })
    }
  })

  describe('rules of ordinary writes', () => {
    const refused: readonly (readonly [fault: string, operation: object, status: number, code: string, at: string])[] =
      [
        [
          'a client id that is not supported',
          { op: 'add', data: { type: 'devices', id: '7', attributes: { label: 'x' } } },
          403,
          'CLIENT_GENERATED_ID_NOT_SUPPORTED',
          '/data/id',
        ],
        [
          'another type than that of the ref',
          { op: 'update', ref: album, data: { type: 'artists', id: '1' } },
          409,
          'RESOURCE_TYPE_UNACCEPTABLE',
          '/data/type',
        ],
        [
          'another type than that of the collection',
          { op: 'add', href: '/devices', data: { type: 'artists', attributes: { name: 'x' } } },
          409,
          'RESOURCE_TYPE_UNACCEPTABLE',
          '/data/type',
        ],
        [
          'another id than that of the ref',
          { op: 'update', ref: album, data: { type: 'albums', id: '2' } },
          409,
          'RESOURCE_ID_CONFLICT',
          '/data/id',
        ],
        [
          'a related resource that is missing',
          add('albums', { title: 'x' }, { artist: artistOf('404') }),
          404,
          'RESOURCE_NOT_FOUND',
          '/data/relationships/artist/data',
        ],
        [
          'a related resource of another type',
          add('albums', { title: 'x' }, { artist: trackOf('1') }),
          409,
          'RESOURCE_TYPE_UNACCEPTABLE',
          '/data/relationships/artist/data/type',
        ],
        [
          'a row hidden by its scope',
          update({ type: 'albums', id: '3' }, { title: 'x' }),
          404,
          'RESOURCE_NOT_FOUND',
          '',
        ],
      ]
    for (const [fault, operation, status, code, at] of refused) {
      it(`ATO-33 returns ${status} for ${fault}`, async () => {
        expectFailure(await send(operation), status, code, `/atomic:operations/0${at}`)
      })
    }

    it('ATO-33 returns 401 for an operation that requires credentials as a request does', async () => {
      const playlist = { type: 'playlists', id: '00000000-0000-4000-8000-000000000001' }
      for (const operation of [update(playlist, { title: 'x' }), remove(playlist)]) {
        const response: ClientResponse = await send(operation)
        expect(response.status).to.equal(401)
        expect(response.body.errors[0].source).to.deep.equal({ pointer: '/atomic:operations/0' })
      }
    })
  })
})
