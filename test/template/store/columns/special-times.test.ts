import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { cursor } from '#plugins/pagination/index.ts'
import { type BothPaths, create, startBothPaths } from '#test/template/support/both-paths.ts'

// PostgreSQL stores times that JSON Schema has no format for. Existing databases use them, for example as the end of a period.

const schema = defineEntity({
  name: 'Tariff',
  tableName: 'tariffs',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    validTo: p.date().defaultRaw(`'infinity'`),
    endsAt: p.datetime().defaultRaw(`'infinity'`),
    localEnd: p.datetime().columnType('timestamp').nullable(),
    day: p.date().nullable(),
    at: p.datetime().nullable(),
    local: p.datetime().columnType('timestamp').nullable(),
  },
})
class Tariff extends schema.class {}
schema.setClass(Tariff)

/** All attributes have infinity(), so that the OpenAPI document describes every response. */
const periods = defineResource(Tariff, {
  type: 'tariffs',
  policy: 'open',
  fields: ({ id, string, date, dateTime }) => [
    id(),
    string('name'),
    date('validTo').infinity(),
    dateTime('endsAt').infinity(),
    dateTime('localEnd').infinity().nullable(),
  ],
  filters: ({ where, dateRange }) => [where('validTo'), dateRange('endsAt')],
})

const moments = defineResource(Tariff, {
  type: 'tariffs',
  policy: 'open',
  fields: ({ id, string, date, dateTime }) => [
    id(),
    string('name'),
    date('day').nullable().sortable(),
    dateTime('at').nullable().sortable(),
    dateTime('local').nullable().sortable(),
  ],
  pagination: () => cursor({ size: 10 }),
  filters: ({ dateRange }) => [dateRange('at')],
})

const times = ['-infinity', '0044-03-15 12:00:00.5 BC', '2026-01-02 03:04:05', '10000-01-02 03:04:05', 'infinity']
const days = ['-infinity', '0044-03-15 BC', '2026-01-02', '10000-01-02', 'infinity']
const shown = [
  '-infinity',
  '-000043-03-15T12:00:00.500+00:00',
  '2026-01-02T03:04:05+00:00',
  '+010000-01-02T03:04:05+00:00',
  'infinity',
]

const storedTimes =
  'select name, valid_to::text, ends_at::text, local_end::text, day::text, at::text, local::text from tariffs'

describe('An attribute with infinity()', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Tariff], [periods])
  })
  beforeEach(() => app.execute('truncate tariffs restart identity'))
  after(() => app.close())

  const stored = async () => (await app.execute(storedTimes))[0]

  for (const path of ['fast', 'regular'] as const) {
    describe(`on the ${path} path`, () => {
      const update = (attributes: object) =>
        app[path].client.patch('/tariffs/1', { data: { type: 'tariffs', id: '1', attributes } })

      it('keeps an infinity when the resource is sent back', async () => {
        await app.execute(`insert into tariffs (name, local_end) values ('old', '-infinity')`)
        const before = await stored()
        const { body } = await app[path].client.get('/tariffs/1')
        expect(body.data.attributes).to.deep.include({ validTo: 'infinity', endsAt: 'infinity', localEnd: '-infinity' })
        const { status, text } = await update(body.data.attributes)
        expect(status, text).to.equal(200)
        expect(await stored()).to.deep.equal(before)
      })

      it('stores an infinity that is sent', async () => {
        const sent = { name: 'new', validTo: '-infinity', endsAt: '-infinity', localEnd: 'infinity' }
        const created = await create(app[path], 'tariffs', sent)
        expect(created.status, created.text).to.equal(201)
        expect(created.body.data.attributes).to.deep.include(sent)
        expect(await stored()).to.deep.include({ valid_to: '-infinity', ends_at: '-infinity', local_end: 'infinity' })
        const changed = { validTo: 'infinity', endsAt: '2026-01-02T03:04:05+00:00', localEnd: null }
        const updated = await update(changed)
        expect(updated.body.data?.attributes, updated.text).to.deep.include(changed)
        expect((await update({ endsAt: 'infinity' })).status).to.equal(200)
        expect(await stored()).to.deep.include({ valid_to: 'infinity', ends_at: 'infinity', local_end: null })
      })

      it('shows an infinity that is the default of the database', async () => {
        const { body, text } = await create(app[path], 'tariffs', { name: 'new' })
        expect(body.data?.attributes, text).to.deep.include({ validTo: 'infinity', endsAt: 'infinity' })
      })
    })
  }

  it('is found by filters that contain infinity', async () => {
    await app.execute(`insert into tariffs (name) values ('t')`)
    const found = async (filter: string) => (await app.fast.client.get(`/tariffs?${filter}`)).body.data?.length
    expect(await found('filter[validTo]=infinity')).to.equal(1)
    expect(await found('filter[validTo]=-infinity')).to.equal(0)
    expect(await found('filter[endsAt][min]=infinity')).to.equal(1)
    expect(await found('filter[endsAt][max]=2026-01-01')).to.equal(0)
  })
})

describe('A time that is not a date of ISO 8601', () => {
  let app: BothPaths
  before(async () => {
    // The document does not describe such values.
    app = await startBothPaths([Tariff], [moments], undefined, { undescribed: ['default'] })
  })
  beforeEach(() => app.execute('truncate tariffs restart identity'))
  after(() => app.close())

  const stored = async () => (await app.execute(storedTimes))[0]
  const insertUnusual = async () => {
    for (const [index, time] of times.entries())
      await app.execute(
        `insert into tariffs (name, day, at, local) values ('t', '${days[index]}', '${time}', '${time}')`,
      )
  }

  for (const path of ['fast', 'regular'] as const) {
    describe(`on the ${path} path`, () => {
      const update = (attributes: object) =>
        app[path].client.patch('/tariffs/1', { data: { type: 'tariffs', id: '1', attributes } })

      it('is shown in a form that is not null', async () => {
        await insertUnusual()
        const { status, body, text } = await app[path].client.get('/tariffs')
        expect(status, text).to.equal(200)
        const values = (name: string) => body.data.map((one: { attributes: object }) => one.attributes[name as never])
        expect(values('at')).to.deep.equal(shown)
        expect(values('local')).to.deep.equal(shown)
        expect(values('day')).to.deep.equal(days)
      })

      it('is kept by an update of another attribute', async () => {
        for (const [index, time] of times.entries()) {
          await app.execute('truncate tariffs restart identity')
          const values = `'old', '${days[index]}', '${time}', '${time}'`
          await app.execute(`insert into tariffs (name, day, at, local) values (${values})`)
          const before = await stored()
          const { status, text } = await update({ name: 'new' })
          expect(status, text).to.equal(200)
          expect(await stored()).to.deep.equal({ ...before, name: 'new' })
        }
      })

      it('is a 422 when it is sent back to an attribute without infinity()', async () => {
        await app.execute(`insert into tariffs (name, day, at) values ('old', 'infinity', '-infinity')`)
        const { body } = await app[path].client.get('/tariffs/1')
        const { day, at } = body.data.attributes
        const refused = await update({ day, at })
        expect(refused.status).to.equal(422)
        expect(refused.body.errors.map(({ source }: { source: object }) => source)).to.deep.equal([
          { pointer: '/data/attributes/day' },
          { pointer: '/data/attributes/at' },
        ])
      })
    })
  }

  for (const sort of ['day', '-day', 'at', '-at', 'local', '-local'])
    it(`is a position of a cursor: sort=${sort}`, async () => {
      await insertUnusual()
      await app.execute(`insert into tariffs (name) values ('null')`)
      const ids: string[] = []
      for (let url = `/tariffs?sort=${sort}&page[size]=1`; url; ) {
        const { status, body, text } = await app.fast.client.get(url)
        expect(status, text).to.equal(200)
        ids.push(...body.data.map(({ id }: { id: string }) => id))
        url = body.links.next
      }
      const ascending = ['1', '2', '3', '4', '5', '6']
      expect(ids).to.deep.equal(sort.startsWith('-') ? ascending.toReversed() : ascending)
    })

  it('is found by a range', async () => {
    await insertUnusual()
    const { body } = await app.fast.client.get('/tariffs?filter[at][max]=2026-01-01')
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1', '2'])
  })

  it('is a 400 as a position that a cursor cannot have', async () => {
    const position = (value: string) =>
      Buffer.from(JSON.stringify({ k: ['at', 'id'], v: [value, 1], d: 'after' })).toString('base64url')
    for (const value of ['10000-02-30 00:00:00+00', '0000-01-01 00:00:00+00 BC', '5000-01-01 00:00:00+00 BC', 'never'])
      expect((await app.fast.client.get(`/tariffs?sort=at&page[after]=${position(value)}`)).status, value).to.equal(400)
  })
})
