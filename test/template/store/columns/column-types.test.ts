import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { compare, defineResource, isIn, native, type Row } from '#kernel'
import { addSteps, type DataResponse, type Plugin } from '#kernel/plugin'
import { buildApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { createConditionPlugin } from '#test/template/support/condition-plugin.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Sample, Specimen, sortableColumns, specimenResources } from '#test/template/support/library/specimens.ts'

// Values of every column type are read, sorted and compared in the same way on both databases.

type Column = ReturnType<typeof sortableColumns>[number]

/** Two values of each column, the smaller first. */
const pairs: Readonly<Record<Column, readonly [unknown, unknown]>> = {
  smallint: [-32_768, 32_767],
  integer: [-2_147_483_648, 2_147_483_647],
  bigint: [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
  bigintNumber: [-9_007_199_254_740_991, 9_007_199_254_740_991],
  bigintString: ['-9223372036854775808', '9223372036854775807'],
  real: [-0.1, 1e38],
  double: [0.30000000000000004, 1.7976931348623157e308],
  decimal: ['1234567890123456.7890', '1234567890123456.7891'],
  decimalNumber: [-0.05, 99_999_999.99],
  boolean: [false, true],
  text: [`'it''s' "é" 😀 \\ %_ $1 ?`, 'zebra'],
  varchar: ['', 'twenty characters...'],
  char: ['ab ', 'abc'],
  uuid: ['00000000-0000-4000-8000-00000000000a', 'ffffffff-ffff-4fff-bfff-ffffffffffff'],
  date: ['0001-01-01', '9999-12-31'],
  time: ['00:00:00', '23:59:59'],
  timestamptz: [new Date('1969-12-31T23:59:59.999Z'), new Date('9999-12-31T23:59:59.999Z')],
  timestamptzSeconds: [new Date('0001-01-01T00:00:00Z'), new Date('2024-02-29T12:00:00Z')],
  timestamp: [new Date('2024-03-31T02:30:00.001Z'), new Date('2024-03-31T02:30:00.010Z')],
  interval: ['1 day 02:03:04', '2 days'],
  inet: ['10.0.0.1', '2001:db8::1'],
  listed: ['one', 'two'],
  mood: ['calm', 'Cross'],
}

/** Columns that cannot be sorted by. */
const unsortable: Readonly<Record<string, unknown>> = {
  json: { list: [1, null, 'x'], text: '5' },
  texts: ['a', 'b,"c"', '{}'],
  bytes: new Uint8Array([0, 255, 10]),
  mirrored: 'abc',
  shouted: 'LOUD',
}

const low = { ...Object.fromEntries(sortableColumns().map((name) => [name, pairs[name][0]])), ...unsortable }
const high = Object.fromEntries(sortableColumns().map((name) => [name, pairs[name][1]]))

describe('Column types', () => {
  const narrowing = createConditionPlugin()
  const records: Row[] = []
  let client: Client
  let close: () => Promise<void>

  before(async () => {
    const library = await startLibrary({
      resources: specimenResources,
      plugins: [...plugins, narrowing.plugin, recording(records)],
    })
    client = library.client
    close = library.close
    await emptyLibrary()
    await insert({ id: 1n, ...low }, { id: 2n, ...high }, { id: 3n, ...high }, { id: 4n })
  })
  after(() => close())

  const idsOf = async (path: string) => (await client.get(path)).body.data.map(({ id }: { id: string }) => id)

  it('are read as they were written', async () => {
    await client.get('/specimens/1')
    const { interval, negated, ...record } = onlyProperties(records.at(-1))
    const { interval: _, ...written } = low
    expect(record).to.deep.equal({ id: 1n, ...written })
    expect({ ...(interval as object) }).to.include({ days: 1, hours: 2, minutes: 3, seconds: 4 })
  })

  it('are read as MikroORM hydrates them', async () => {
    for (const id of [1n, 2n, 4n]) {
      await client.get(`/specimens/${id}`)
      const { samples, remembered, ...entity } = await find(id)
      expect(onlyProperties(records.at(-1))).to.deep.equal(entity)
    }
  })

  it('exclude properties that are not stored', async () => {
    await client.get('/specimens/1')
    expect(records.at(-1)).not.to.have.any.keys('remembered')
    const resource = defineResource(Specimen, {
      type: 'specimens',
      fields: ({ id, string }) => [id(), string('remembered')],
    })
    const build = buildApp({ database: await libraryDatabase(), resources: [{ file: 'here.ts', resource }] })
    expect(await build.catch((error: Error) => error.message)).to.contain(
      "Specimen has no property 'remembered' that could be an attribute.",
    )
  })

  for (const name of sortableColumns()) {
    it(`sort rows by ${name} with NULL last, also page by page with a cursor`, async () => {
      expect(await readAllPages(client, `/specimens?sort=${name}`)).to.deep.equal(['1', '2', '3', '4'])
      expect(await readAllPages(client, `/specimens?sort=-${name}`)).to.deep.equal(['4', '3', '2', '1'])
    })

    it(`compare ${name} with one value and with a list`, async () => {
      const [smaller, greater] = pairs[name]
      const conditions = [
        compare(name, '=', greater),
        isIn(name, [greater]),
        native({ [name]: greater }),
        native({ [name]: { $in: [greater] } }),
        compare(name, '>', smaller),
      ]
      for (const condition of conditions) {
        const ids = await narrowing.during(condition, () => idsOf('/specimens?page[size]=10'))
        expect(ids, JSON.stringify(condition, text)).to.deep.equal(['2', '3'])
      }
    })
  }

  it('sort timestamps by microseconds, which a Date does not contain', async () => {
    const em = (await libraryDatabase()).orm.em.fork()
    await em.execute(`update specimens set timestamptz = '2024-01-01 00:00:00+00'::timestamptz + id * interval '1 us'`)
    await em.execute(`update specimens set timestamp = '2024-01-01 00:00:00'::timestamp + id * interval '1 us'`)
    for (const name of ['timestamptz', 'timestamp']) {
      expect(await readAllPages(client, `/specimens?sort=${name}`)).to.deep.equal(['1', '2', '3', '4'])
      expect(await readAllPages(client, `/specimens?sort=-${name}`)).to.deep.equal(['4', '3', '2', '1'])
    }
  })

  it('with a custom conversion are filtered by converted values', async () => {
    const found: [filter: object, ids: readonly string[]][] = [
      [{ mirrored: 'abc' }, ['1']],
      [{ mirrored: 'cba' }, []],
      [{ shouted: 'LOUD' }, ['1']],
      [{ json: { text: '5' } }, ['1']],
      [{ json: { text: '6' } }, []],
      [{ texts: { $contains: ['a'] } }, ['1']],
      [{ json: null }, ['2', '3', '4']],
    ]
    for (const [filter, ids] of found) {
      const work = () => idsOf('/specimens?page[size]=10')
      expect(await narrowing.during(native(filter), work), JSON.stringify(filter)).to.deep.equal(ids)
    }
  })
})

describe('Cursor values that are invalid for their column', () => {
  let client: Client
  let close: () => Promise<void>

  before(async () => {
    const library = await startLibrary({ resources: specimenResources })
    client = library.client
    close = library.close
  })
  after(() => close())

  const forged: Partial<Record<Column, readonly unknown[]>> = {
    smallint: [32_768, 1.5, '1', true],
    integer: [2_147_483_648, -2_147_483_649, '1', {}],
    bigint: ['9223372036854775808', '-9223372036854775809', '1.0', '', 5, '1e3'],
    real: [1e39, -1e39, 1e-60, '1'],
    double: ['1', []],
    decimal: ['nan', 'inf', '1e5', '1,5', 1.5],
    boolean: ['true', 1],
    text: ['a\u0000b', '\ud800', 5],
    uuid: ['not-a-uuid', '00000000-0000-4000-8000-00000000000', 1],
    date: ['2023-02-29', '2024-13-01', '2024-00-10', '0000-01-01', '2024-1-1', 'today', 'Infinity', 20240101],
    time: ['24:00:01', '12:60:00', 'now', '12:00', 1],
    timestamptz: [
      '2023-02-30T00:00:00Z',
      '2024-01-01T25:00:00Z',
      '2024-01-01T00:00:00+16:00',
      '2024-01-01T00:00:00+00:99',
      '2024-01-01',
      'now',
      0,
    ],
    timestamp: ['2023-02-30T00:00:00', '2024-01-01T00:00:00Z', 'epoch'],
    listed: [5],
    mood: ['joyful', 5],
  }

  for (const [name, values] of Object.entries(forged)) {
    it(`return 400 CURSOR_MALFORMED for ${name}`, async () => {
      for (const value of values) {
        const token = Buffer.from(JSON.stringify({ k: [name, 'id'], v: [value, '1'], d: 'after' })).toString(
          'base64url',
        )
        const { status, body } = await client.get(`/specimens?sort=${name}&page[after]=${token}`)
        expect(status, JSON.stringify(value)).to.equal(400)
        expect(body.errors[0]).to.include({ code: 'CURSOR_MALFORMED' })
      }
    })
  }
})

describe('Keys of type bigint', () => {
  const key = '9223372036854775807'
  let client: Client
  let close: () => Promise<void>

  before(async () => {
    const library = await startLibrary({ resources: specimenResources })
    client = library.client
    close = library.close
  })
  after(() => close())
  beforeEach(async () => {
    await emptyLibrary()
    await insert({ id: BigInt(key), text: 'largest' }, { id: 7n, text: 'seven' })
    const em = (await libraryDatabase()).orm.em.fork()
    await em.insertMany(Sample, [
      { id: '11', name: 'first', specimen: BigInt(key) },
      { id: key, name: 'second', specimen: 7n },
    ])
  })

  const linkage = (type: string, id: string) => ({ data: { type, id } })

  it('find rows up to the largest bigint, and return 404 for larger and non-canonical ids', async () => {
    expect((await client.get(`/specimens/${key}`)).body.data.attributes.text).to.equal('largest')
    expect((await client.get(`/samples/${key}`)).body.data.attributes.name).to.equal('second')
    for (const id of ['9223372036854775808', '007', '+7', '7.0', '0x7', '-0']) {
      expect((await client.get(`/specimens/${id}`)).body.errors[0].code, id).to.equal('RESOURCE_NOT_FOUND')
    }
  })

  it('link included resources to their parents in both directions', async () => {
    const samples = (await client.get('/samples?include=specimen')).body
    expect(samples.data.map(({ relationships }: Row) => (relationships as Row).specimen)).to.containSubset([
      linkage('specimens', key),
      linkage('specimens', '7'),
    ])
    expect(samples.included.map(({ id }: { id: string }) => id)).to.have.members([key, '7'])
    const specimens = (await client.get('/specimens?include=samples&page[size]=5')).body
    expect(specimens.data.map(({ relationships }: Row) => (relationships as Row).samples)).to.containSubset([
      { data: [{ type: 'samples', id: key }] },
      { data: [{ type: 'samples', id: '11' }] },
    ])
  })

  it('work in related and relationship URLs', async () => {
    expect((await client.get('/samples/11/specimen')).body.data.id).to.equal(key)
    expect((await client.get('/samples/11/relationships/specimen')).body.data.id).to.equal(key)
    expect((await client.get(`/specimens/${key}/samples`)).body.data).to.have.length(1)
    expect((await client.get(`/specimens/${key}/relationships/samples`)).body.data).to.have.length(1)
  })

  it('are accepted as the linkage of a write', async () => {
    const attributes = { name: 'third' }
    const relationships = { specimen: linkage('specimens', key) }
    const created = await client.post('/samples', { data: { type: 'samples', attributes, relationships } })
    expect(created.status).to.equal(201)
    expect(created.body.data.relationships.specimen.data).to.include({ id: key })
    const path = `/samples/${created.body.data.id}/relationships/specimen`
    const moved = await client.patch(path, linkage('specimens', '7'))
    expect(moved.body.data).to.include({ id: '7' })
    const missing = await client.patch(path, linkage('specimens', '8'))
    expect(missing.body.errors[0]).to.include({ status: '404', code: 'RESOURCE_NOT_FOUND' })
  })

  it('are accepted as the id of a write', async () => {
    const attributes = { name: 'changed' }
    const changed = await client.patch(`/samples/${key}`, { data: { type: 'samples', id: key, attributes } })
    expect(changed.body.data.attributes).to.deep.equal(attributes)
    expect((await client.delete(`/samples/${key}`)).status).to.equal(204)
    expect((await client.get(`/samples/${key}`)).status).to.equal(404)
  })
})

async function insert(...rows: readonly object[]): Promise<void> {
  const em = (await libraryDatabase()).orm.em.fork()
  for (const row of rows) em.create(Specimen, row as never)
  await em.flush()
}

async function find(id: bigint): Promise<Row> {
  const em = (await libraryDatabase()).orm.em.fork()
  return { ...(await em.findOneOrFail(Specimen, { id })) }
}

/** Returns the ids of all pages by following `links.next`. */
async function readAllPages(client: Client, path: string): Promise<string[]> {
  const ids: string[] = []
  for (let next: string | undefined = path; next && ids.length < 10; ) {
    const { status, body } = await client.get(next)
    expect(status, next).to.equal(200)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    next = body.links.next
  }
  return ids
}

/** Records the rows of responses as the store returned them. */
function recording(records: Row[]): Plugin {
  return {
    name: 'recording',
    plan: addSteps({
      async afterOperation(_operation, { data }: DataResponse) {
        if (data && 'record' in data) records.push(data.record)
        return undefined
      },
    }),
  }
}

function onlyProperties(record: Row = {}): Row {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('#')))
}

function text(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
