import { expect } from 'chai'
import { defineResource, defineType, type Persister, type Resource } from '#kernel'
import { memoryStore } from '#memory'
import { AcceptedForProcessing, accepted } from '#plugins/async-writes/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { expectReplay, keyed, shelf } from '#test/template/support/idempotency-keys.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

const operations = ['FetchCollection', 'FetchOne', 'Create', 'Update', 'Delete'] as const

describe('Idempotency keys', () => {
  let library: TestApp
  const start = async (resource: Resource, env: Record<string, string> = {}) => {
    library = await startLibrary({ resources: [{ file: 'shelves.ts', resource }], config: configFrom(env) })
    return library.client
  }
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  it('accept an asynchronous write once: the repeated request gets the 202 with its headers', async () => {
    let count = 0
    const client = await start(
      defineResource(Shelf, {
        type: 'shelves',
        fields: ({ id, string }) => [id(), string('name')],
        create: accepted('shelves'),
        accept: () => AcceptedForProcessing.poll(`/shelves/${++count}`).withRetryAfter(30).withMeta({ count }),
      }),
    )
    const key = keyed()
    const first = await client.post('/shelves', shelf('Prose'), key)
    expect([first.status, first.body.meta]).to.deep.equal([202, { count: 1 }])
    const second = await client.post('/shelves', shelf('Prose'), key)
    expectReplay(second, first)
    for (const name of ['content-location', 'retry-after']) {
      expect(second.headers.get(name), name).to.equal(first.headers.get(name))
    }
    expect(count).to.equal(1)
  })

  it('apply to a type in memory', async () => {
    const client = await start(
      defineType<{ id: string; name: string }>({
        type: 'shelves',
        operations,
        fields: ({ id, string }) => [id(), string('name')],
        ...memoryStore(),
      }),
    )
    const key = keyed()
    const first = await client.post('/shelves', shelf('Prose'), key)
    expect(first.status, first.text).to.equal(201)
    expectReplay(await client.post('/shelves', shelf('Prose'), key), first)
    expect((await client.get('/shelves')).body.data).to.have.length(1)
  })

  it('undo the write of a type in memory when the response is too large', async () => {
    const client = await start(
      defineType<{ id: string; name: string }>({
        type: 'shelves',
        operations,
        fields: ({ id, string }) => [id(), string('name')],
        ...memoryStore(),
      }),
      { IDEMPOTENCY_RESPONSE_BYTES: '1000' },
    )
    expect((await client.post('/shelves', shelf('P'.repeat(1000)), keyed())).status).to.equal(400)
    expect((await client.get('/shelves')).body.data).to.have.length(0)
  })

  it('call a persister of the program once, and again after a write whose response was not stored', async () => {
    const { provider, persister } = memoryStore()
    let flushes = 0
    let fails = true
    const own: Persister = {
      ...persister,
      async flush(...args) {
        flushes++
        await persister.flush(...args)
        if (fails) throw new Error('the process ends here')
      },
    }
    const client = await start(
      defineType<{ id: string; name: string }>({
        type: 'shelves',
        operations,
        fields: ({ id, string }) => [id(), string('name')],
        provider,
        persister: own,
      }),
    )
    const key = keyed()
    const send = () => client.post('/shelves', shelf('Prose'), key)
    expect((await send()).status).to.equal(500)
    fails = false
    const first = await send()
    expectReplay(await send(), first)
    expect(flushes).to.equal(2)
  })
})
