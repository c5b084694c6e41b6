import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { TestApp } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { expectReplay, keyed, query, setAge, shelf } from '#test/template/support/idempotency-keys.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

// An ETag can have one digit more than the one before it.
const withoutETags = plugins.filter(({ name }) => name !== 'conditional-requests')

describe('The limits of a response stored with an idempotency key', () => {
  let library: TestApp
  let client: Client
  const start = async (env: Record<string, string>) => {
    library = await startLibrary({ plugins: withoutETags, config: configFrom(env) })
    client = library.client
  }
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  it('refuse a write with 400 and without an effect when its response exceeds IDEMPOTENCY_RESPONSE_BYTES', async () => {
    await start({ IDEMPOTENCY_RESPONSE_BYTES: '1000' })
    const key = keyed()
    const { status, body, headers } = await client.post('/shelves', shelf('P'.repeat(1000)), key)
    expect(status).to.equal(400)
    expect(body.errors[0].code).to.equal('IDEMPOTENT_RESPONSE_TOO_LARGE')
    expect(body.errors[0].detail).to.match(/^The response has \d+ bytes, and at most 1000 are stored/)
    expect(body.errors[0].source).to.deep.equal({ header: 'Idempotency-Key' })
    expect(headers.get('location')).to.equal(null)
    expect(await query('select id from shelves')).to.have.length(2)
    expect((await client.post('/shelves', shelf('Prose'), key)).status).to.equal(201)
  })

  it('accept a response of exactly IDEMPOTENCY_RESPONSE_BYTES, in bytes of UTF-8 with its headers', async () => {
    await start({})
    const send = (letters: number, key = keyed()) => client.patch('/shelves/1', shelf('é'.repeat(letters), '1'), key)
    await send(1)
    const bytes = await sizeOfLast()
    await restart({ IDEMPOTENCY_RESPONSE_BYTES: String(bytes) })
    await expectRepeated((key) => send(1, key))
    const { status, body: refusal } = await send(2)
    expect([status, refusal.errors[0].detail.split('.')[0]]).to.deep.equal([
      400,
      `The response has ${bytes + 2} bytes, and at most ${bytes} are stored with a key`,
    ])
  })

  it('accept any size when IDEMPOTENCY_RESPONSE_BYTES is 0', async () => {
    await start({ IDEMPOTENCY_RESPONSE_BYTES: '0' })
    const key = keyed()
    const long = shelf('P'.repeat(100_000))
    const first = await client.post('/shelves', long, key)
    expectReplay(await client.post('/shelves', long, key), first)
  })

  it('accept an error of exactly IDEMPOTENCY_RESPONSE_BYTES', async () => {
    await start({})
    const send = (key = keyed()) => client.patch('/shelves/99', shelf('Prose', '99'), key)
    await send()
    await restart({ IDEMPOTENCY_RESPONSE_BYTES: String(await sizeOfLast()) })
    await expectRepeated(send)
  })

  it('do not store an error that exceeds IDEMPOTENCY_RESPONSE_BYTES', async () => {
    await start({ IDEMPOTENCY_RESPONSE_BYTES: '10' })
    const key = keyed()
    const send = () => client.patch('/shelves/99', shelf('Prose', '99'), key)
    for (const { status, headers } of [await send(), await send()]) {
      expect([status, headers.has('idempotency-replayed')]).to.deep.equal([404, false])
    }
  })

  it('let the same key run another request after IDEMPOTENCY_RETENTION_SECONDS', async () => {
    await start({ IDEMPOTENCY_RETENTION_SECONDS: '100000' })
    const key = keyed()
    await client.post('/shelves', shelf('Prose'), key)
    await setAge(99_000) // a test may take minutes
    const reused = await client.post('/shelves', shelf('Verse'), key)
    expect([reused.status, reused.body.errors[0].code]).to.deep.equal([422, 'IDEMPOTENCY_KEY_REUSED'])
    await setAge(100_001)
    const verse = await client.post('/shelves', shelf('Verse'), key)
    expect(verse.status).to.equal(201)
    expectReplay(await client.post('/shelves', shelf('Verse'), key), verse)
  })

  async function restart(env: Record<string, string>): Promise<void> {
    await library.close()
    await start(env)
  }

  /** The size of the response that was stored last: bytes of UTF-8 of its body and its headers. */
  async function sizeOfLast(): Promise<number> {
    const [stored] = await query('select body, headers, bytes from idempotency_keys order by created_at desc limit 1')
    const { body, headers, bytes } = stored as { body: string; headers: string; bytes: number }
    expect(bytes).to.equal(Buffer.byteLength(body) + Buffer.byteLength(headers))
    return bytes
  }

  async function expectRepeated(send: (key: ReturnType<typeof keyed>) => Promise<ClientResponse>): Promise<void> {
    const key = keyed()
    const first = await send(key)
    expectReplay(await send(key), first)
  }
})
