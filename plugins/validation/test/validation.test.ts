import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { Database } from '#store'
import { startApp, type TestApp } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { statementsOf } from '#test/support/statements.ts'
import { withoutNeeds } from '#test/template/support/without-needs.ts'

describe('Validation of attributes', () => {
  let database: Database
  let app: TestApp
  let client: Client
  const create = (attributes: object | undefined) =>
    client.post('/parcels', { data: { type: 'parcels', ...(attributes && { attributes }) } })
  const update = (id: string, attributes: object) =>
    client.patch(`/parcels/${id}`, { data: { type: 'parcels', id, attributes } })

  before(async () => {
    database = await openTestDatabase({ entities: [Parcel], migrations: [] })
    await database.orm.schema.create()
    app = await startApp({ resources, database, onWrite: () => {} })
    client = app.client
  })

  after(async () => {
    await app.close()
    await database.close()
  })

  describe('required and nullable attributes', () => {
    it('ERR-10 returns 422 with a pointer to /data/attributes, or /data without attributes, when a required member is missing', async () => {
      expect(readPointers(await create({ weight: 1 }))).to.deep.equal(['/data/attributes', '/data/attributes'])
      expect(readPointers(await create({ name: 'Box' }))).to.deep.equal(['/data/attributes'])
      expect(readPointers(await create(undefined))).to.deep.equal(['/data', '/data'])
    })

    it('returns 422 with a pointer to the member when a required member is null, blank or an empty list', async () => {
      for (const name of [null, '', '   ', '\t\n']) {
        expect(readPointers(await create({ name, code: 'a' })), JSON.stringify(name)).to.deep.equal([
          '/data/attributes/name',
        ])
      }
      expect(readPointers(await create({ name: 'Box', code: 'a', stamps: [] }))).to.deep.equal([
        '/data/attributes/stamps',
      ])
    })

    it('returns 200 when a PATCH omits a required member, and 422 when it sends null or a blank text', async () => {
      const id = await created({ name: 'Box', code: 'a' })
      expect((await update(id, { weight: 2 })).status).to.equal(200)
      for (const name of [null, '', ' ']) {
        expect(readPointers(await update(id, { name }))).to.deep.equal(['/data/attributes/name'])
      }
      const bare = await client.patch(`/parcels/${id}`, { data: { type: 'parcels', id } })
      expect(bare.status).to.equal(200)
    })

    it('requires a requiredOnCreate() member on POST, and not on PATCH', async () => {
      expect(readPointers(await create({ name: 'Box' }))).to.deep.equal(['/data/attributes'])
      const id = await created({ name: 'Box', code: 'a' })
      expect((await update(id, { name: 'Chest' })).status).to.equal(200)
    })

    it('accepts null for nullable members, and returns 422 for null in any other member', async () => {
      const id = await created({ name: 'Box', code: 'a', note: 'x', sentAt: null, weight: 1 })
      const { body } = await update(id, { note: null })
      expect(body.data.attributes.note).to.equal(null)
      for (const name of ['weight', 'fragile', 'stamps', 'code', 'level']) {
        expect(readPointers(await update(id, { [name]: null })), name).to.deep.equal([`/data/attributes/${name}`])
      }
    })

    it('accepts null for a member that is required and nullable, and returns 422 when it is missing', async () => {
      const data = { type: 'envelopes' }
      const absent = await client.post('/envelopes', { data: { ...data, attributes: {} } })
      expect(readPointers(absent)).to.deep.equal(['/data/attributes'])
      const sent = await client.post('/envelopes', { data: { ...data, attributes: { note: null } } })
      expect(sent.status).to.equal(201)
    })
  })

  describe('values by kind of attribute', () => {
    const cases: readonly [name: string, good: readonly unknown[], bad: readonly unknown[]][] = [
      ['name', ['a', 'x'.repeat(20), ' a ', "Robert'); --", 'Ωμέγα'], [1, true, {}, ['a'], 'a\0b', 'x'.repeat(21)]],
      ['note', ['', ' ', 'x'.repeat(5000)], [0, false, [], {}, '\0']],
      ['code', ['ab', 'a'], ['', 'abc', 7]],
      ['slogan', ['abc', 'abcde'], ['', 'ab', 'abcdef']],
      ['weight', [0, -5, 2_147_483_647, 1.0], ['1', 1.5, true, [1], 2_147_483_648, -2_147_483_649, 1e20]],
      ['level', [1, 2, 5], [0, 6, 40_000, '3', 2.5]],
      ['serial', [9_007_199_254_740_991, -9_007_199_254_740_991], [9_007_199_254_740_992, '1', 0.5]],
      ['price', [0, 9.99, 99.99, -99.99, 7], ['9.99', 100, 99.995, -100, 1e9, null, true]],
      ['fragile', [true, false], ['true', 1, 0, 'yes', []]],
      [
        'sentAt',
        ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00+02:00', '2024-02-29T12:00:00'],
        [
          '',
          'yesterday',
          '2024-02-30T00:00:00Z',
          '2024-01-01',
          1_700_000_000,
          '2024-01-01T25:00:00Z',
          '9999-12-31T23:59:59-01:00',
          '0001-01-01T00:00:00+01:00',
          true,
        ],
      ],
      [
        'due',
        ['2024-02-29', '0001-01-01', '9999-12-31'],
        ['', '2023-02-29', '29.02.2024', '2024-1-1', '2024-02-29T00:00:00Z', '0000-01-01', '10000-01-01', 20240229],
      ],
      ['pickup', ['00:00:00', '23:59:59'], ['', '24:00:00', '12:00:00.5', '12:00', '12:00:60', '12:00:00Z', 12]],
      [
        'website',
        ['https://example.com/a?b=c', 'http://example.com'],
        ['', 'example.com', 'ftp://example.com', 'javascript:alert(1)', 'https://', 5],
      ],
      [
        'stamps',
        [['a'], ['a', 'b', 'c']],
        [[], ['a', 'a'], ['a', 'b', 'c', 'd'], 'a', {}, [1], [null], [['a']], ['a\0']],
      ],
      ['size', ['small', 'large'], ['', 'Small', 'medium', 1, ' small']],
      ['grade', [1, 2], [3, '1', 1.5]],
    ]

    for (const [name, good, bad] of cases) {
      it(`returns 201 and the sent value for ${name}: ${preview(good)}`, async () => {
        for (const value of good) {
          const { status, body } = await create({ name: 'Box', code: 'a', [name]: value })
          expect(status, JSON.stringify(value)).to.equal(201)
          const shown = body.data.attributes[name]
          if (name === 'sentAt') expect(Date.parse(shown)).to.equal(Date.parse(zoned(value as string)))
          else expect(shown).to.deep.equal(value)
        }
      })

      it(`returns 422 with a pointer to ${name} for: ${preview(bad)}`, async () => {
        for (const value of bad) {
          const answer = await create({ name: 'Box', code: 'a', [name]: value })
          expect(answer.status, `${JSON.stringify(value)} ${answer.text}`).to.equal(422)
          for (const pointer of readPointers(answer))
            expect(pointer).to.match(new RegExp(`^/data/attributes/${name}(/\\d+)?$`))
        }
      })
    }

    it('names the accepted form in the detail when a value is of another kind', async () => {
      const answer = await create({
        name: 'Box',
        code: 'a',
        weight: 1.5,
        fragile: 1,
        sentAt: 'x',
        due: 'x',
        note: '\0',
      })
      expect(answer.body.errors.map(({ detail }: { detail: string }) => detail)).to.deep.equal([
        "'note' must not contain the character U+0000 or an unpaired surrogate.",
        "'weight' must be an integer.",
        "'fragile' must be true or false, not a number.",
        "'sentAt' must be an RFC 3339 date and time, for example 2024-02-29T12:00:00Z.",
        "'due' must be a date in the form YYYY-MM-DD.",
      ])
    })

    it('names the sent JSON type in the detail when a number or a boolean is expected', async () => {
      const sent = { 'a string': '12.5', 'a boolean': true, 'an array': [1], 'an object': { value: 1 } }
      for (const [type, value] of Object.entries(sent)) {
        const answer = await create({ name: 'Box', code: 'a', weight: value, price: value })
        expect(answer.body.errors.map(({ detail }: { detail: string }) => detail)).to.deep.equal([
          `'weight' must be an integer, not ${type}.`,
          `'price' must be a number, not ${type}.`,
        ])
      }
      const answer = await create({ name: 'Box', code: 'a', fragile: 'true' })
      expect(answer.body.errors[0].detail).to.equal("'fragile' must be true or false, not a string.")
    })

    it('names the limits of the column in the detail when a number has more digits than JSON keeps', async () => {
      const answer = await create({ name: 'Box', code: 'a', weight: 1e20, price: 1e20 })
      expect(answer.body.errors.map(({ detail }: { detail: string }) => detail)).to.deep.equal([
        "'weight' must be an integer from -2147483648 to 2147483647.",
        "'price' must be a number from -99.99 to 99.99.",
      ])
    })

    it('names the limits of the column in the detail when a value does not fit', async () => {
      const answer = await create({ name: 'x'.repeat(21), code: 'a', weight: 2_147_483_648 })
      expect(answer.body.errors.map(({ detail }: { detail: string }) => detail)).to.deep.equal([
        "'name' must have at most 20 characters.",
        "'weight' must be an integer from -2147483648 to 2147483647.",
      ])
    })

    it('returns 422 for a number that overflows to infinity', async () => {
      const body = '{"data":{"type":"parcels","attributes":{"name":"Box","code":"a","price":1e999}}}'
      expect(readPointers(await client.post('/parcels', body))).to.deep.equal(['/data/attributes/price'])
    })

    it('ignores unknown members, read-only members and @-members', async () => {
      const { status, body } = await create({
        name: 'Box',
        code: 'a',
        unknown: 5,
        owner: 5,
        '@context': 5,
        constructor: 5,
        toString: 5,
      })
      expect(status).to.equal(201)
      expect(body.data.attributes.owner).to.equal(null)
    })

    it('validates a readOnlyOnUpdate() member on POST, and ignores it on PATCH', async () => {
      expect(readPointers(await create({ name: 'Box', code: 5 }))).to.deep.equal(['/data/attributes/code'])
      const id = await created({ name: 'Box', code: 'a' })
      const { status, body } = await update(id, { frozen: 17 })
      expect(status).to.equal(200)
      expect(body.data.attributes.frozen).to.equal(null)
      expect(readPointers(await create({ name: 'Box', code: 'a', frozen: 17 }))).to.deep.equal([
        '/data/attributes/frozen',
      ])
    })

    it('validates a write-only member, and does not return it', async () => {
      expect(readPointers(await create({ name: 'Box', code: 'a', pin: 'x' }))).to.deep.equal(['/data/attributes/pin'])
      const { body } = await create({ name: 'Box', code: 'a', pin: 'abcd' })
      expect(body.data.attributes).not.to.have.property('pin')
    })
  })

  describe('map attributes', () => {
    const withAddress = (address: unknown) => create({ name: 'Box', code: 'a', address })

    it('returns 422 with pointers to the children', async () => {
      expect(readPointers(await withAddress({ street: 5, city: 'x'.repeat(11) }))).to.have.members([
        '/data/attributes/address/street',
        '/data/attributes/address/city',
      ])
    })

    it('returns 422 with a pointer to the map when a required child is missing, and to the child when it is blank or null', async () => {
      expect(readPointers(await withAddress({ street: 'Main' }))).to.deep.equal(['/data/attributes/address'])
      expect(readPointers(await withAddress({ city: '' }))).to.deep.equal(['/data/attributes/address/city'])
      expect(readPointers(await withAddress({ city: null }))).to.deep.equal(['/data/attributes/address/city'])
    })

    it('returns 422 when a map is not an object, and accepts null for a nullable map', async () => {
      for (const address of ['Main', 5, [], [{ city: 'Rome' }], true]) {
        expect(readPointers(await withAddress(address))).to.deep.equal(['/data/attributes/address'])
      }
      const { status, body } = await withAddress(null)
      expect(status).to.equal(201)
      expect(body.data.attributes.address).to.equal(null)
    })

    it('ignores unknown and read-only children', async () => {
      const { status, body } = await withAddress({ city: 'Rome', zone: 5, planet: 5 })
      expect(status).to.equal(201)
      expect(body.data.attributes.address).to.deep.equal({ street: null, city: 'Rome', zone: null })
    })

    it('keeps the children that a PATCH omits, and clears all of them when it sends null', async () => {
      const { body } = await withAddress({ street: 'Main', city: 'Rome' })
      const { id } = body.data
      const patched = await update(id, { address: { street: 'Side' } })
      expect(patched.body.data.attributes.address).to.deep.equal({ street: 'Side', city: 'Rome', zone: null })
      const emptied = await update(id, { address: null })
      expect(emptied.body.data.attributes.address).to.equal(null)
    })
  })

  it('returns every violation in one response, each with code, title, detail and pointer', async () => {
    const answer = await create({
      name: '',
      weight: '1',
      price: 100,
      fragile: 'no',
      address: { street: 5 },
      size: 'huge',
    })
    expect(readPointers(answer)).to.have.members([
      '/data/attributes',
      '/data/attributes/name',
      '/data/attributes/weight',
      '/data/attributes/price',
      '/data/attributes/fragile',
      '/data/attributes/size',
      '/data/attributes/address',
      '/data/attributes/address/street',
    ])
    for (const error of answer.body.errors) {
      expect(error).to.include({ status: '422', code: 'VALIDATION_FAILED', title: 'Unprocessable Entity' })
      expect(error.detail)
        .to.be.a('string')
        .that.matches(/\w+.*\.$/)
    }
  })

  it('writes nothing when a value is invalid', async () => {
    const id = await created({ name: 'Box', code: 'a', weight: 3 })
    const statements = await statementsOf(async () => {
      expect((await update(id, { weight: 4, price: 'free' })).status).to.equal(422)
      expect((await create({ name: 'Box', code: 'a', price: 'free' })).status).to.equal(422)
    })
    expect(statements.filter(({ sql }) => /^(insert|update)/i.test(sql))).to.deep.equal([])
    expect((await client.get(`/parcels/${id}`)).body.data.attributes.weight).to.equal(3)
  })

  it('runs after the checks of type and id (409, 404), and before related resources are looked up', async () => {
    const wrongType = await client.post('/parcels', { data: { type: 'boxes', attributes: {} } })
    expect(wrongType.status).to.equal(409)
    const missing = await client.patch('/parcels/999999', {
      data: { type: 'parcels', id: '999999', attributes: { name: 5 } },
    })
    expect(missing.status).to.equal(404)
    const linkage = { parent: { data: { type: 'parcels', id: '999999' } } }
    const both = await client.post('/parcels', {
      data: { type: 'parcels', attributes: { name: 5 }, relationships: linkage },
    })
    expect(both.status).to.equal(422)
  })

  it('refuses to start when the plugin is disabled and the database does not enforce a rule', async () => {
    const starting = startApp({ resources, database, onWrite: () => {}, disabled: ['validation'] })
    const error = await starting.catch((thrown: Error) => thrown)
    const faults = (error as Error).message.split('\n')
    expect(faults).to.include(
      "parcels.code (plugins/validation/test/validation.test.ts): needs the plugin 'validation', which is off; without it requiredOnCreate(), maxLength() would be ignored.",
    )
    expect(faults.join()).to.include('parcels.website').and.to.include('parcels.address.city')
    expect(faults.join()).not.to.include('parcels.note').and.not.to.include('parcels.weight')
  })

  it('returns 422 ATTRIBUTE_VALUE_INVALID for a wrong type when the plugin is disabled', async () => {
    const disabled = ['validation']
    const app = await startApp({ resources: withoutNeeds(resources, disabled), database, onWrite: () => {}, disabled })
    const post = (attributes: object) => app.client.post('/parcels', { data: { type: 'parcels', attributes } })
    expect((await post({ name: '', code: 'abc', size: 'huge' })).status).to.equal(201)
    const wrong = await post({ name: 'Box', code: 'a', weight: '1' })
    expect(wrong.status).to.equal(422)
    expect(wrong.body.errors[0]).to.deep.include({
      code: 'ATTRIBUTE_VALUE_INVALID',
      source: { pointer: '/data/attributes/weight' },
    })
    await app.close()
  })

  async function created(attributes: object): Promise<string> {
    const { status, body, text } = await create(attributes)
    expect(status, text).to.equal(201)
    return body.data.id
  }
})

const schema = defineEntity({
  name: 'Parcel',
  tableName: 'parcels',
  properties: {
    id: p.integer().primary(),
    name: p.string().length(20).default(''),
    note: p.text().nullable(),
    code: p.text().default(''),
    slogan: p.text().nullable(),
    weight: p.integer().default(0),
    level: p.smallint().default(1),
    serial: p.bigint('number').nullable(),
    price: p.decimal('number').precision(4).scale(2).default(0),
    fragile: p.boolean().default(false),
    sentAt: p.datetime(3).nullable(),
    due: p.date().nullable(),
    pickup: p.time().nullable(),
    website: p.text().nullable(),
    stamps: p.array().default(['none']),
    size: p.text().nullable(),
    grade: p.integer().nullable(),
    owner: p.text().nullable(),
    frozen: p.text().nullable(),
    pin: p.text().nullable(),
    street: p.text().nullable(),
    city: p.string().length(10).nullable(),
    zone: p.text().nullable(),
    parent: () => p.manyToOne(Parcel).ref().nullable().index(),
  },
})

class Parcel extends schema.class {}
schema.setClass(Parcel)

const parcels = defineResource(Parcel, {
  type: 'parcels',
  fields: (f) => [
    f.id(),
    f.string('name').required(),
    f.string('note').nullable(),
    f.string('code').requiredOnCreate().maxLength(2),
    f.string('slogan').nullable().minLength(3).maxLength(5),
    f.integer('weight'),
    f.integer('level').min(1).max(5),
    f.integer('serial').nullable(),
    f.decimal('price'),
    f.boolean('fragile'),
    f.dateTime('sentAt').nullable(),
    f.date('due').nullable(),
    f.time('pickup').nullable(),
    f.url('website').nullable(),
    f.arrayList('stamps').minItems(1).maxItems(3).uniqueItems(),
    f.string('size').nullable().in(['small', 'large']),
    f.integer('grade').nullable().in([1, 2]),
    f.string('owner').nullable().readOnly(),
    f.string('frozen').nullable().readOnlyOnUpdate(),
    f.string('pin').nullable().writeOnly().minLength(4),
    f
      .map('address', f.string('street').nullable(), f.string('city').required(), f.string('zone').readOnly())
      .nullable(),
    f.belongsTo('parent', 'parcels'),
  ],
})

const envelopes = defineResource(Parcel, {
  type: 'envelopes',
  fields: ({ id, string }) => [id(), string('note').required().nullable()],
})

const resources: readonly DeclaredResource[] = [parcels, envelopes].map((resource) => ({
  file: 'plugins/validation/test/validation.test.ts',
  resource,
}))

/** The pointers of a 422 response. */
function readPointers({ status, body, text }: ClientResponse): string[] {
  expect(status, text).to.equal(422)
  return body.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)
}

function preview(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value).slice(0, 30)).join(' ')
}

/** A date-time without an offset is read as UTC. */
function zoned(dateTime: string): string {
  return /(Z|[+-]\d\d:\d\d)$/.test(dateTime) ? dateTime : `${dateTime}Z`
}
