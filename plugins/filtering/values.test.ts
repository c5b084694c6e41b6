import { expect } from 'chai'
import { defineResource, defineType } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { memoryProvider } from '#memory'
import { startApp, type TestApp } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Sample, Specimen } from '#test/template/support/library/specimens.ts'
import {
  Depot,
  entities as depotEntities,
  resources as depotResources,
} from '#test/template/typed-client/types/depots.ts'
import type { DeclaredFilter } from './index.ts'

// Every value a client sends is compared with the column or rejected with 400; never a database error.

const columns = [
  'smallint',
  'integer',
  'bigint',
  'bigintNumber',
  'bigintString',
  'real',
  'double',
  'decimal',
  'decimalNumber',
  'boolean',
  'text',
  'varchar',
  'char',
  'uuid',
  'date',
  'time',
  'timestamptz',
  'timestamptzSeconds',
  'timestamp',
  'interval',
  'inet',
  'listed',
  'mood',
  'json',
  'texts',
  'bytes',
] as const

const invalidAndValidValues = [
  '',
  ' ',
  '0',
  '-1',
  '1.5',
  '99999999999999999999999999',
  '1e400',
  'NaN',
  'Infinity',
  'null',
  'true',
  "'; drop table specimens; --",
  '%25',
  '\\',
  '%00',
  '%ED%A0%80',
  '{}',
  '[1',
  '2024-02-30',
  '2024-01-01',
  '2024-01-01T25:00:00Z',
  '2024-01-01T00:00:00Z',
  '24:00:01',
  '00000000-0000-4000-8000-00000000000a',
  'x'.repeat(500),
]

describe('The value of a filter', () => {
  let library: TestApp
  before(async () => {
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    const specimens = [
      { id: 1n, integer: 7, text: 'Seven', texts: ['rock', 'Pop'], date: '2024-01-01', boolean: true, mood: 'calm' },
      { id: 2n, integer: 8, text: 'Eight', texts: ['jazz'], date: '2024-01-02', boolean: false, mood: 'Cross' },
      { id: 3n },
    ]
    await orm.em.fork().insertMany(Specimen, specimens as never)
    library = await startLibrary({ resources })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })
  const ids = async (path: string) => {
    const { status, body } = await library.client.get(path)
    expect(status, path).to.equal(200)
    return body.data.map(({ id }: { id: string }) => id)
  }

  for (const suffix of ['', '.in', '.range][min', '.dates][max', '.text']) {
    const keys = columns.map((column) => `${column}${suffix}`)
    it(`returns 200, or 400 FILTER_VALUE_INVALID, for columns of every type: filter[column${suffix}]`, async () => {
      for (const value of invalidAndValidValues) {
        const accepted = await acceptedKeys(keys, value)
        const { status } = await library.client.get(`/specimens?${query(accepted, value)}`)
        expect(status, value).to.equal(200)
      }
    })
  }

  /** Returns the keys whose value is not rejected. */
  const acceptedKeys = async (keys: readonly string[], value: string) => {
    const { status, body } = await library.client.get(`/specimens?${query(keys, value)}`)
    expect(status, value).to.equal(body.errors ? 400 : 200)
    const rejected = (body.errors ?? []).map(({ code, source }: ErrorLike) => {
      expect(code).to.equal('FILTER_VALUE_INVALID')
      return source.parameter
    })
    return keys.filter((key) => !rejected.includes(`filter[${key.replace(/\].*/, '')}]`))
  }

  it('matches an array column by any of its items', async () => {
    expect(await ids('/specimens?filter[texts]=rock')).to.deep.equal(['1'])
    expect(await ids('/specimens?filter[texts.in]=jazz,rock')).to.deep.equal(['1', '2'])
    expect(await ids('/specimens?filter[texts.in]=')).to.deep.equal([])
    expect(await ids('/specimens?filter[texts.text]=PO')).to.deep.equal(['1'])
    expect(await ids('/specimens?filter[texts.not]=rock')).to.deep.equal(['2', '3'])
  })

  it('matches booleans, numbers with leading zeros, dates and enum values', async () => {
    expect(await ids('/specimens?filter[boolean]=true')).to.deep.equal(['1'])
    expect(await ids('/specimens?filter[boolean]=0')).to.deep.equal(['2'])
    expect(await ids('/specimens?filter[integer]=007')).to.deep.equal(['1'])
    expect(await ids('/specimens?filter[flag]=off')).to.deep.equal(['2'])
    expect(await ids('/specimens?filter[flag]=')).to.deep.equal(['2'])
    expect(await ids('/specimens?filter[date]=2024-01-02')).to.deep.equal(['2'])
    expect(await ids('/specimens?filter[date.dates][max]=2024-01-01T23:00:00Z')).to.deep.equal(['1'])
    expect(await ids('/specimens?filter[mood]=Cross')).to.deep.equal(['2'])
    expect(await ids('/specimens?filter[mood.text]=c')).to.deep.equal(['1', '2'])
  })

  it('returns 400 with the accepted values when an enum column cannot hold the value', async () => {
    const expectRejected = async (key: string, value: string, accepted: string) => {
      const { status, body } = await library.client.get(`/specimens?filter[${key}]=${value}`)
      expect(status, key).to.equal(400)
      expect(body.errors[0].code).to.equal('FILTER_VALUE_INVALID')
      expect(body.errors[0].detail).to.include(`cannot be '${value.split(',').at(-1)}'; accepted: ${accepted}.`)
    }
    for (const key of ['listed', 'listed.in', 'listed.not', 'listed.range][min']) {
      await expectRejected(key, 'three', 'one, two')
    }
    await expectRejected('listed.in', 'one,three', 'one, two')
    await expectRejected('mood', 'cross', 'calm, Cross')
    expect(await ids('/specimens?filter[listed]=one')).to.deep.equal([])
    expect(await ids('/specimens?filter[listed.text]=three')).to.deep.equal([])
  })

  const int8 = 'an integer from -9223372036854775808 to 9223372036854775807'
  const example = 'for example 2024-02-29T12:00:00'
  const expectations: Readonly<Record<string, string>> = {
    smallint: 'an integer from -32768 to 32767',
    integer: 'an integer from -2147483648 to 2147483647',
    bigint: int8,
    bigintNumber: int8,
    bigintString: int8,
    real: 'a number, for example 12.5',
    double: 'a number, for example 12.5',
    decimal: 'a number, for example 12.5',
    decimalNumber: 'a number, for example 12.5',
    boolean: 'true or false',
    uuid: 'a UUID',
    date: 'a date, for example 2024-02-29',
    time: 'a time, for example 12:30:00',
    timestamptz: `a date and time with an offset, ${example}Z`,
    timestamp: `a date and time without an offset, ${example}`,
    'date.dates': `a date, or a date and time, ${example}Z`,
    'timestamptz.dates': `a date, or a date and time, ${example}Z`,
    id: "an id of type 'specimens'",
  }
  for (const [key, expected] of Object.entries(expectations)) {
    it(`returns 400 with the accepted form of the value: filter[${key}]`, async () => {
      const detailOf = async (parameter: string) =>
        (await library.client.get(`/specimens?filter[${parameter}]=x1`)).body.errors[0].detail
      const message = (name: string) => `The value of the filter '${name}' cannot be 'x1'; accepted: ${expected}.`
      if (key.endsWith('.dates')) expect(await detailOf(`${key}][min`)).to.equal(message(`${key}[min]`))
      else expect(await detailOf(key)).to.equal(message(key))
      if (!columns.includes(key as 'text')) return
      expect(await detailOf(`${key}.in`)).to.equal(message(`${key}.in`))
      expect(await detailOf(`${key}.range][max`)).to.equal(message(`${key}.range[max]`))
    })
  }

  it('returns 400 without the form of the column when a function of the application converts the value', async () => {
    const { body } = await library.client.get('/specimens?filter[doubled]=x')
    expect(body.errors[0].detail).to.equal("The value of the filter 'doubled' cannot be 'x'.")
  })

  it('returns 400 with the name of the bound when a bound of a range violates a rule or is a list', async () => {
    const errorsOf = async (query: string) => (await library.client.get(`/specimens?${query}`)).body.errors
    const bounds = await errorsOf('filter[ruled][min]=x&filter[ruled][max]=y')
    expect(bounds.map(({ detail }: ErrorLike) => detail)).to.deep.equal([
      "The value of the filter 'ruled[min]' must be a whole number.",
      "The value of the filter 'ruled[max]' must be a whole number.",
    ])
    const [list] = await errorsOf('filter[ruled][min][]=1')
    expect(list.detail).to.equal("The value of the filter 'ruled[min]' must be a single value.")
    expect(list.source).to.deep.equal({ parameter: 'filter[ruled]' })
  })

  it('returns 400 with the accepted form of the value of a type without an entity', async () => {
    const detailOf = async (query: string) => (await library.client.get(`/planets?${query}`)).body.errors[0].detail
    expect(await detailOf('filter[moons]=two')).to.include("cannot be 'two'; accepted: a number, for example 12.5.")
    expect(await detailOf('filter[known]=no way')).to.include("cannot be 'no way'; accepted: true or false.")
  })

  it('matches a pattern that application code compares with an enum column', async () => {
    const { orm } = await libraryDatabase()
    await orm.em.fork().insertMany(Specimen, [{ id: 4n, listed: 'two' }] as never)
    await orm.em.fork().insertMany(Sample, [{ id: '1', name: 'Leaf', specimen: 4n }] as never)
    expect(await ids('/samples?filter[like]=w')).to.deep.equal(['1'])
    expect(await ids('/samples?filter[like]=x')).to.deep.equal([])
    expect((await library.client.get('/samples?filter[listed]=w')).status).to.equal(400)
    await orm.em.fork().nativeDelete(Sample, {})
    await orm.em.fork().nativeDelete(Specimen, { id: 4n })
  })

  it('documents the values of an enum column as an enum', async () => {
    const { paths } = JSON.parse((await library.client.get('/docs.json')).text)
    const parameters: readonly Parameter[] = paths['/specimens'].get.parameters
    const schemaOf = (key: string) => parameters.find(({ name }) => name === `filter[${key}]`)?.schema
    expect(schemaOf('listed')).to.deep.equal({ type: 'string', enum: ['one', 'two'] })
    expect(schemaOf('mood.in')).to.deep.equal({ type: 'array', items: { type: 'string', enum: ['calm', 'Cross'] } })
    expect(schemaOf('listed.text')).to.deep.equal({ type: 'string' })
  })

  it('matches rows of the memory store by the same rules', async () => {
    expect(await ids('/planets?filter[name]=MA')).to.deep.equal(['m'])
    expect(await ids('/planets?filter[moons]=2')).to.deep.equal(['m'])
    expect(await ids('/planets?filter[more]=1')).to.deep.equal(['j', 'm'])
    expect(await ids('/planets?filter[discovered]=false')).to.deep.equal(['j'])
    expect(await ids('/planets?filter[gods]=ares')).to.deep.equal(['m'])
    expect(await ids('/planets?filter[any]=zeus,ares')).to.deep.equal(['j', 'm'])
    expect(await ids('/planets?filter[ring]=')).to.deep.equal(['m', 'v'])
    expect(await ids('/planets?filter[id]=v,j')).to.deep.equal(['j', 'v'])
    const { status } = await library.client.get('/planets?filter[moons]=two')
    expect(status).to.equal(400)
  })

  it('filters and counts related rows of the memory store', async () => {
    expect(await ids('/systems/sol/planets')).to.deep.equal(['j', 'm', 'v'])
    expect(await ids('/systems/sol/planets?filter[more]=1')).to.deep.equal(['j', 'm'])
    expect(await ids('/systems/sol/planets?filter[name]=u&page[size]=1&page[number]=2')).to.deep.equal(['v'])
    const { body } = await library.client.get('/systems/sol?withCount=planets')
    expect(body.data.relationships.planets.meta).to.deep.equal({ total: 3 })
  })
})

interface ErrorLike {
  readonly code: string
  readonly detail: string
  readonly source: { readonly parameter: string }
}

interface Parameter {
  readonly name: string
  readonly schema: object
}

function query(keys: readonly string[], value: string): string {
  return keys.map((key) => `filter[${key}]=${value}`).join('&')
}

const specimens = defineResource(Specimen, {
  type: 'specimens',
  fields: ({ id, string }) => [id(), string('text')],
  filters: ({ where, whereIn, whereIdIn, range, dateRange, contains, boolean }) => [
    ...columns.flatMap((column): DeclaredFilter[] => [
      where(column),
      whereIn(`${column}.in`, column),
      range(`${column}.range`, column),
      dateRange(`${column}.dates`, column),
      contains(`${column}.text`, column),
    ]),
    where('texts.not', 'texts', '!='),
    where('listed.not', 'listed', '!='),
    boolean('flag', 'boolean'),
    whereIdIn(),
    where('doubled', 'integer').deserializeUsing((text) => Number(text) * 2),
    range('ruled', 'integer').integer(),
  ],
})

const samples = defineResource(Sample, {
  type: 'samples',
  fields: ({ id, belongsTo }) => [id(), belongsTo('specimen', 'specimens')],
  filters: ({ whereHasMatching }) => [
    whereHasMatching('like', 'specimen', (value) => ({ listed: { $like: `%${value}%` } }) as never),
    whereHasMatching('listed', 'specimen', (value) => ({ listed: value }) as never),
  ],
})

interface Planet {
  readonly id: string
  readonly name: string
  readonly moons: number
  readonly discovered: boolean
  readonly gods: readonly string[]
  readonly ring: string | null
}

const rows: readonly Planet[] = [
  { id: 'm', name: 'Mars', moons: 2, discovered: true, gods: ['ares'], ring: null },
  { id: 'v', name: 'Venus', moons: 0, discovered: true, gods: ['aphrodite'], ring: null },
  { id: 'j', name: 'Jupiter', moons: 95, discovered: false, gods: ['zeus', 'jove'], ring: 'faint' },
]

const planets = defineType<Planet>({
  type: 'planets',
  serializer: { attributes: { name: ({ name }) => name } },
  provider: memoryProvider(rows as never),
  operations: ['FetchCollection', 'FetchOne'],
  filters: ({ contains, where, whereIn, greaterThan, boolean, whereNull, whereIdIn }) => [
    contains('name'),
    where('moons'),
    greaterThan('more', 'moons'),
    boolean('discovered'),
    where('known', 'discovered'),
    where('gods'),
    whereIn('any', 'gods'),
    whereNull('ring'),
    whereIdIn(),
  ],
})

interface System {
  readonly id: string
  readonly name: string
  readonly planets: readonly string[]
}

const systems = defineType<System>({
  type: 'systems',
  serializer: { attributes: { name: ({ name }) => name } },
  provider: memoryProvider([{ id: 'sol', name: 'Sun', planets: ['m', 'v', 'j'] }]),
  operations: ['FetchCollection', 'FetchOne'],
  relations: ({ hasMany }) => [hasMany('planets' as never, 'planets').countable()],
})

const resources: readonly DeclaredResource[] = [specimens, samples, planets, systems].map((resource) => ({
  file: 'plugins/filtering/values.test.ts',
  resource,
}))

describe('A filter on an attribute that lists its values', () => {
  let app: TestApp
  let close: () => Promise<void>
  const list = (key: string, value: string) => app.client.get(`/depots?filter[${key}]=${value}`)

  before(async () => {
    const database = await openTestDatabase({ entities: depotEntities, migrations: [] })
    await database.orm.schema.create()
    const rows = [
      { name: 'Old', zone: 'west', grade: 3 },
      { name: 'New', zone: 'north', grade: 2 },
    ]
    await database.orm.em.fork().insertMany(Depot, rows as never)
    const declared = Object.entries(depotResources).map(([name, resource]) => ({ file: `${name}.ts`, resource }))
    app = await startApp({ database, resources: declared })
    close = async () => {
      await app.close()
      await database.close()
    }
  })
  after(() => close())

  for (const [key, value, accepted] of [
    ['zone', 'west', 'north, south'],
    ['elsewhere', 'west', 'north, south'],
    ['zones', 'north,west', 'north, south'],
    ['standing', 'west', 'north, south'],
    ['grade', '3', '1, 2'],
    ['grades', '3', '1, 2'],
    ['grade', ' ', '1, 2'],
  ] as const) {
    it(`returns 400 with the accepted values: filter[${key}]=${value}`, async () => {
      const { status, body } = await list(key, value)
      expect(status).to.equal(400)
      expect(body.errors[0]).to.deep.include({
        code: 'FILTER_VALUE_INVALID',
        detail: `The value of the filter '${key}' must be one of ${accepted}.`,
        source: { parameter: `filter[${key}]` },
      })
    })
  }

  it('returns 400 for a value that the pivot field does not list', async () => {
    expect((await app.client.get('/depots/1/tools?filter[state]=lost')).status).to.equal(400)
    expect((await app.client.get('/depots/1/tools?filter[state]=used')).status).to.equal(200)
  })

  for (const [key, value, condition] of [
    ['grade', '02', 'a number has leading zeros'],
    ['zones', 'north,south', 'all values are listed'],
    ['anyZone', 'west', 'the filter has a rule of its own'],
    ['retired', '1', 'fixed() names another value'],
    ['over', '2', 'the filter compares the order'],
    ['graded', '', 'the filter is a range'],
    ['part', 'wes', 'the filter compares a part of the text'],
    ['tier', 'a', 'a function converts sent values of the attribute'],
    ['either', 'Old', 'the filter is part of a group'],
  ] as const) {
    it(`returns 200 when ${condition}`, async () => {
      const path = key === 'graded' ? '/depots?filter[graded][min]=3' : `/depots?filter[${key}]=${value}`
      const { status, text } = await app.client.get(`${path}&filter[standing]=&fields[depots]=name`)
      expect(status, text).to.equal(200)
      expect(JSON.parse(text).data, text).not.to.be.empty
    })
  }

  it('has the values in the OpenAPI document', async () => {
    const { paths } = JSON.parse((await app.client.get('/docs.json')).text)
    const schemas = new Map(paths['/depots'].get.parameters.map(({ name, schema }: never) => [name, schema]))
    expect(schemas.get('filter[zone]')).to.deep.equal({ type: 'string', enum: ['north', 'south'] })
    expect(schemas.get('filter[grades]')).to.deep.equal({ type: 'array', items: { type: 'number', enum: [1, 2] } })
    expect(schemas.get('filter[over]')).to.deep.equal({ type: 'integer' })
  })
})
