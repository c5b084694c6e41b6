import { expect } from 'chai'
import { LruMap } from '#kernel/store'
import { openDatabase } from '#store/connection/open.ts'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { Database } from '#store/connection/types.ts'
import type { Connection } from '#store/driver/index.ts'
import { prepareName } from '#store/driver/prepared-names.ts'
import { openTestDatabase } from '#test/support/database.ts'

describe('LruMap', () => {
  it('evicts the least recently used key when a new key exceeds the limit', () => {
    const map = new LruMap<string, number>()
    map.set('a', 1, 2)
    map.set('b', 2, 2)
    map.get('a')
    map.set('c', 3, 2)
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).to.deep.equal([1, undefined, 3, 2])
  })
})

describe('Names of statements', () => {
  const limit = 10
  const send = (text: string, times = 3) => {
    for (let time = 1; time < times; time++) prepareName(text, [1], limit)
    return prepareName(text, [1], limit)
  }

  it('keeps the name of a statement in use while 1,000 other statements get names', () => {
    const text = 'select $1 as hot'
    const name = send(text)?.name
    expect(name).to.be.a('string')
    for (let shape = 0; shape < 1_000; shape++) {
      expect(send(`select $1 as shape_${shape}`)).not.to.equal(undefined)
      expect(prepareName(text, [1], limit)?.name).to.equal(name)
    }
  })

  it('gives a statement a name again after 1,000 other statements have evicted it', () => {
    const text = 'select $1 as cold'
    const name = send(text)?.name
    for (let shape = 0; shape < 1_000; shape++) send(`select $1 as other_${shape}`)
    expect(prepareName(text, [1], limit)).to.equal(undefined)
    expect(send(text, 2)?.name).to.be.a('string').not.equal(name)
  })

  it('gives a text of more than 8 kB no name', () => {
    const padding = 'x'.repeat(8_192)
    expect(send(`select $1 as "${padding}"`, 10)).to.equal(undefined)
  })
})

// The embedded database prepares no statements.
describe('Prepared statements of a server connection', () => {
  const limit = 5
  let database: Database
  let client: Connection
  let drop: () => Promise<void>

  before(async function () {
    if (!process.env.DATABASE_URL || process.env.DATABASE_POOLER) this.skip()
    const created = await openTestDatabase({ entities: [], migrations: [] })
    drop = () => created.close()
    database = await openDatabase({
      databaseUrl: created.databaseUrl,
      databaseLimits: { ...defaultLimits, connections: 2, prepared: limit },
      dataDir: null,
      entities: [],
      migrations: [],
    })
  })
  beforeEach(async () => {
    client = (await database.connect?.()) as Connection
  })
  afterEach(() => client.release())
  after(async () => {
    await database?.close()
    await drop?.()
  })

  const prepared = async () =>
    (await client.query('select statement from pg_prepared_statements')).rows.map(({ statement }) => statement)
  const run = async (text: string, times = 3) => {
    for (let time = 0; time < times; time++) expect((await client.query(text, [time])).rows[0]).to.include({ n: time })
  }

  it('never exceeds the limit and keeps a statement in use prepared while 1,000 other statements are prepared and evicted', async () => {
    const hot = 'select $1::int as n, 1 as hot'
    await run(hot)
    for (let shape = 0; shape < 1_000; shape++) {
      await run(`select $1::int as n, ${shape} as shape`)
      await run(hot, 1)
      if (shape % 50 === 0) expect(await prepared()).to.have.length.of.at.most(limit)
    }
    expect(await prepared())
      .to.have.length(limit)
      .and.to.include(hot)
  })

  it('answers more concurrent statements than the limit', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `select $1::int as n, ${index} as flight`)
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(texts.map((text) => client.query(text, [round])))
      expect(answers.map(({ rows: [row] }) => row)).to.deep.equal(texts.map((_, flight) => ({ n: round, flight })))
      expect(await prepared()).to.have.length.of.at.most(limit)
    }
  })

  it('does not count a statement that the server rejects', async () => {
    for (let shape = 0; shape < 20; shape++) {
      const text = `select $1::int as n from missing_${shape}`
      for (let time = 0; time < 4; time++) {
        const code = await client.query(text, [1]).then(
          () => null,
          (error) => error.code,
        )
        expect(code).to.equal('42P01')
      }
    }
    const text = 'select $1::int as n, 2 as accepted'
    await run(text)
    expect(await prepared()).to.include(text)
  })

  it('executes a statement again whose columns have changed since it was prepared', async () => {
    const text = 'select * from changing where n = $1'
    await client.query('create table changing as select generate_series(0, 4) as n')
    await run(text, 5)
    expect(await prepared()).to.include(text)
    await client.query('alter table changing add column added int default 7')
    for (let time = 0; time < 3; time++) {
      expect((await client.query(text, [1])).rows).to.deep.equal([{ n: 1, added: 7 }])
    }
  })

  it('sends dates, objects and bytes as pg encodes them', async () => {
    const text = 'select $1::timestamptz as at, $2::jsonb as object, $3::bytea as bytes, $4::text[] as texts'
    const texts = ['NULL', ' a ', '', 'x,"y\\"}', null]
    for (let time = 0; time < 5; time++) {
      const values = [new Date(0), { a: 1 }, Buffer.from('b'), texts]
      const [row] = (await client.query(text, values)).rows
      expect(row).to.deep.equal({ at: '1970-01-01 00:00:00+00', object: { a: 1 }, bytes: Buffer.from('b'), texts })
    }
    const onlyTexts = 'select $1::text[] as texts'
    for (let time = 0; time < 5; time++)
      expect((await client.query(onlyTexts, [texts])).rows).to.deep.equal([{ texts }])
  })

  it('prepares no text of more than 8 kB', async () => {
    const text = `select $1::int as n, '${'x'.repeat(8_192)}' as long`
    await run(text, 10)
    expect(await prepared()).not.to.include(text)
  })
})
