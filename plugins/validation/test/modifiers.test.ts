import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'
import type { Database } from '#store'
import { startApp, type TestApp } from '#test/support/app.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { statementsOf } from '#test/support/statements.ts'
import { shape } from '../index.ts'

describe('Validation rules', () => {
  let database: Database
  let app: TestApp

  before(async () => {
    database = await openTestDatabase({ entities: [Form], migrations: [] })
    await database.orm.schema.create()
    const resources = [forms, drafts, handles].map((resource) => ({
      file: 'plugins/validation/test/modifiers.test.ts',
      resource,
    }))
    app = await startApp({ resources, database, onWrite: () => {} })
  })

  after(async () => {
    await app.close()
    await database.close()
  })

  const create = (attributes: object, headers = {}) =>
    app.client.post('/forms', { data: { type: 'forms', attributes } }, headers)
  const update = (id: string, attributes: object) =>
    app.client.patch(`/forms/${id}`, { data: { type: 'forms', id, attributes } })
  const created = async (attributes: object): Promise<string> => {
    const { status, body, text } = await create(attributes)
    expect(status, text).to.equal(201)
    return body.data.id
  }

  const uuid4 = '11111111-1111-4111-8111-111111111111'
  const uuid7 = '018f3f9c-1111-7111-8111-111111111111'
  const values: readonly [name: string, good: readonly unknown[], bad: readonly unknown[]][] = [
    ['mail', ['ada@example.com', 'ada@localhost', 'ada@exämple.com'], ['', 'ada', 'ada@', '@example.com', 7]],
    ['strictMail', ['ada@example.com'], ['ada@localhost', 'ada@exämple.com', 'ada']],
    ['mailText', ['ada@example.com'], ['ada@localhost', 'ada']],
    [
      'site',
      ['https://example.com', 'http://example.com/a', 'HTTP://X.ORG', 'hTTpS://x.org'],
      ['', 'ftp://example.com', 'example.com'],
    ],
    ['ftp', ['ftp://example.com', 'SFTP://example.com'], ['https://example.com']],
    ['linkText', ['ftp://example.com'], ['https://example.com', 'nothing']],
    ['key', [uuid4, uuid7], ['', 'x', `{${uuid4}}`, uuid4.replaceAll('-', '')]],
    ['key4', [uuid4], [uuid7]],
    ['key7', [uuid7], [uuid4]],
    ['slug', ['a', 'ok-computer', '2-step'], ['', 'Ok', 'a--b', '-a', 'a_b', 'ä']],
    ['dotted', ['a.b'], ['a-b', 'a']],
    ['address', ['203.0.113.7', '::1', '2001:db8::1'], ['', '1.2.3', '1.2.3.4/8', 'localhost']],
    ['address4', ['203.0.113.7'], ['::1']],
    ['address6', ['::1'], ['203.0.113.7']],
    ['addressText', ['203.0.113.7'], ['::1']],
    ['code', ['AB12', 'AB'], ['ab', 'AB-', '']],
    ['colour', ['red', 'green'], ['blue', 'Red', '']],
    ['notColour', ['blue', ''], ['red', 'green']],
    ['grade', [1, 2], [3, 1.5, '1']],
    ['notGrade', [3], [1, 2]],
    ['size', ['small', 'large'], ['SMALL', 'medium']],
    ['score', [1, 9], [0, 10]],
    ['step', [0.5, 1, -1.5], [0.7, 1.25]],
    ['share', [0.1, 0.3, 1], [0.25]],
    ['birthday', ['2000-01-01', '1899-12-31'], ['2000-01-02', '2030-01-01']],
    ['opening', ['09:00:01', '17:00:00'], ['09:00:00', '08:00:00']],
    ['season', ['2024-03-01', '2024-05-31'], ['2024-02-29', '2024-06-01']],
    ['lunch', ['12:00:00'], ['13:00:00']],
    ['past', ['1997-05-21T00:00:00Z'], ['2999-01-01T00:00:00Z']],
    ['genres', [['a', 'bc']], [[''], ['a', 7], [null]]],
    ['ratings', [[1, 5]], [[0], [6], ['1']]],
    ['prefs', [{ a: 1 }, { a: 1, b: 2 }], [{}, { a: 1, b: 2, c: 3 }, [], 'a']],
    [
      'availability',
      [{ worldwide: true }, { regions: ['GB'] }, { regions: ['GB'], worldwide: true, more: 1 }],
      [{}, { worldwide: false }, { regions: [] }, { regions: ['GB', 7] }, { regions: 'GB' }],
    ],
    [
      'dimensions',
      [
        { widthMm: 1, heightMm: 2 },
        { widthMm: 1.5, heightMm: 2, depthMm: 3 },
      ],
      [{ widthMm: 1 }, { widthMm: '1', heightMm: 2 }, { widthMm: 1, heightMm: 2, depthMm: null }],
    ],
    ['exclusive', [{ a: 1 }, { b: 'x' }], [{}, { a: 1, b: 'x' }, { a: 'x' }]],
    ['media', [{ kind: 'cd', discs: 2 }, { kind: 'file' }], [{ kind: 'cd' }, { kind: 'tape' }, { discs: 2 }]],
    ['every', ['ab1'], ['a', 'abcdefgh']],
    ['first', ['ab1'], ['a', 'xyz', 'abcdefgh']],
    ['some', ['12345678', 'a1'], ['a', 'abc']],
  ]

  for (const [name, good, bad] of values) {
    it(`returns 201 for ${name}: ${preview(good)}`, async () => {
      for (const value of good) {
        const { status, body, text } = await create({ [name]: value })
        expect(status, `${JSON.stringify(value)} ${text}`).to.equal(201)
        if (name !== 'past') expect(body.data.attributes[name]).to.deep.equal(value)
      }
    })

    it(`returns 422 with a pointer to ${name} for: ${preview(bad)}`, async () => {
      for (const value of bad) {
        const answer = await create({ [name]: value })
        expect(answer.status, `${JSON.stringify(value)} ${answer.text}`).to.equal(422)
        for (const pointer of readPointers(answer)) {
          expect(`${pointer}/`, JSON.stringify(value)).to.match(new RegExp(`^/data/attributes/${name}/`))
        }
      }
    })
  }

  it('echoes at most 100 characters of a value that breaks a pattern, in English and in German', async () => {
    for (const language of ['en', 'de']) {
      const { status, text, body } = await create({ slug: 'X'.repeat(400_000) }, { 'accept-language': language })
      expect(status).to.equal(422)
      expect(Buffer.byteLength(text)).to.be.below(2000)
      expect(body.errors.map(({ source }: { source: object }) => source)).to.deep.include({
        pointer: '/data/attributes/slug',
      })
    }
  })

  it('returns pointers to the invalid item or member, and to the object that lacks a member', async () => {
    expect(readPointers(await create({ genres: ['a', '', 'b', ''] }))).to.deep.equal([
      '/data/attributes/genres/1',
      '/data/attributes/genres/3',
    ])
    expect(readPointers(await create({ dimensions: { widthMm: '1', heightMm: 2 } }))).to.deep.equal([
      '/data/attributes/dimensions/widthMm',
    ])
    expect(readPointers(await create({ dimensions: { heightMm: 2 } }))).to.deep.equal(['/data/attributes/dimensions'])
    expect(readPointers(await create({ media: { kind: 'tape' } }))).to.deep.equal(['/data/attributes/media/kind'])
    expect(readPointers(await create({ media: {} }))).to.deep.equal(['/data/attributes/media'])
    expect(readPointers(await create({ media: { kind: 'cd', discs: 0 } }))).to.deep.equal([
      '/data/attributes/media/discs',
    ])
  })

  it('returns every fault of constrain(), the first of sequentially(), and one for atLeastOneOf()', async () => {
    expect(readPointers(await create({ every: 'x' }))).to.have.length(2)
    expect(readPointers(await create({ first: 'x' }))).to.have.length(1)
    expect(readPointers(await create({ some: 'x' }))).to.have.length(1)
  })

  it('names in the detail how many schemas must match, and the alternatives of atLeastOneOf()', async () => {
    const detailsOf = async (attributes: object) =>
      (await create(attributes)).body.errors.map(({ detail }: { detail: string }) => detail)
    expect(await detailsOf({ availability: {} })).to.deep.equal([
      "'availability' must match at least one of its 2 schemas; it matches none.",
    ])
    expect(await detailsOf({ exclusive: { a: 1, b: 'x' } })).to.deep.equal([
      "'exclusive' must match exactly one of its 2 schemas; it matches 2.",
    ])
    expect(await detailsOf({ some: 'x' })).to.deep.equal([
      "At least one of these must be true: 'some' length must be at least 8 characters long. 'some' with value 'x' fails to match the required pattern: /\\d/.",
    ])
  })

  it('applies onCreate() rules to POST only, and onUpdate() rules to PATCH only', async () => {
    expect(readPointers(await create({ early: 'ab' }))).to.deep.equal(['/data/attributes/early'])
    const id = await created({ early: 'abc', late: 'a' })
    expect((await update(id, { early: 'a' })).status).to.equal(200)
    expect(readPointers(await update(id, { late: 'a' }))).to.deep.equal(['/data/attributes/late'])
  })

  it('returns 422 when PATCH omits a requiredOnUpdate() member that has no stored value', async () => {
    const draft = { data: { type: 'drafts', attributes: {} } }
    const { body } = await app.client.post('/drafts', draft)
    const { id } = body.data
    const patch = (attributes: object) =>
      app.client.patch(`/drafts/${id}`, { data: { type: 'drafts', id, attributes } })
    expect(readPointers(await patch({}))).to.deep.equal(['/data/attributes'])
    expect(readPointers(await patch({ code: ' ' }))).to.deep.equal(['/data/attributes/code'])
    expect((await patch({ code: 'AB' })).status).to.equal(200)
    expect((await patch({})).status).to.equal(200)
  })

  it('applies when() rules, required() included, while the condition returns true', async () => {
    expect((await create({ note: 'x' })).status).to.equal(201)
    expect(readPointers(await create({ note: '!' }))).to.deep.equal(['/data/attributes/note'])
    expect(readPointers(await create({}, { 'x-careful': 'yes' }))).to.deep.equal(['/data/attributes'])
    expect((await create({ note: 'long enough' }, { 'x-careful': 'yes' })).status).to.equal(201)
  })

  describe('compareWith()', () => {
    it('returns 422 with a pointer to the field that declares the comparison when both were sent', async () => {
      expect((await create({ from: '2024-01-01', until: '2024-01-02' })).status).to.equal(201)
      for (const until of ['2024-01-01', '2023-12-31']) {
        expect(readPointers(await create({ from: '2024-01-01', until }))).to.deep.equal(['/data/attributes/until'])
      }
    })

    it('skips the comparison when a side is missing, null or of the wrong kind', async () => {
      expect((await create({ until: '2024-01-01' })).status).to.equal(201)
      expect((await create({ from: null, until: '2024-01-01' })).status).to.equal(201)
      expect(readPointers(await create({ from: 7, until: '2024-01-01' }))).to.deep.equal(['/data/attributes/from'])
    })

    it('compares a sent value with the stored one, and points at the sent field', async () => {
      const id = await created({ from: '2024-01-01', until: '2024-02-01' })
      expect(readPointers(await update(id, { until: '2023-01-01' }))).to.deep.equal(['/data/attributes/until'])
      expect(readPointers(await update(id, { from: '2024-03-01' }))).to.deep.equal(['/data/attributes/from'])
      expect((await update(id, { from: '2024-03-01', until: null })).status).to.equal(200)
      expect((await update(id, { score: 5 })).status).to.equal(200)
    })

    for (const [name, good, bad] of [
      ['equal', 5, 4],
      ['unequal', 4, 5],
      ['greater', 6, 5],
      ['atLeast', 5, 4],
      ['less', 4, 5],
      ['atMost', 5, 6],
    ] as const) {
      it(`accepts ${good} and returns 422 for ${bad} in '${name}' compared with 5`, async () => {
        expect((await create({ base: 5, [name]: good })).status).to.equal(201)
        expect(readPointers(await create({ base: 5, [name]: bad }))).to.deep.equal([`/data/attributes/${name}`])
      })
    }

    it('skips the comparison with a stored value that has another form than the sent one', async () => {
      expect(readPointers(await create({ password: 'secret12', confirm: 'secret13' }))).to.deep.equal([
        '/data/attributes/confirm',
      ])
      const id = await created({ password: 'secret12', confirm: 'secret12' })
      expect((await update(id, { confirm: 'secret12' })).status).to.equal(200)
    })
  })

  describe('obj and oneOf attributes', () => {
    it('returns 422 with pointers to the invalid children of an obj', async () => {
      expect(readPointers(await create({ packaging: { material: '', gatefold: 'no' } }))).to.deep.equal([
        '/data/attributes/packaging/material',
        '/data/attributes/packaging/gatefold',
      ])
      expect(readPointers(await create({ packaging: {} }))).to.deep.equal(['/data/attributes/packaging'])
      expect(readPointers(await create({ packaging: [] }))).to.deep.equal(['/data/attributes/packaging'])
    })

    it('returns 200 when PATCH omits a required child that is stored, and 422 when it is not', async () => {
      const id = await created({ packaging: { material: 'card' } })
      const { status, body } = await update(id, { packaging: { gatefold: true } })
      expect(status).to.equal(200)
      expect(body.data.attributes.packaging).to.deep.equal({ material: 'card', gatefold: true })
      expect((await update(id, { packaging: null })).status).to.equal(200)
      expect(readPointers(await update(id, { packaging: { gatefold: true } }))).to.deep.equal([
        '/data/attributes/packaging',
      ])
    })

    it('validates only the selected variant of a oneOf', async () => {
      expect((await create({ format: { medium: 'cd', discs: 1, rpm: 'x' } })).status).to.equal(201)
      expect(readPointers(await create({ format: { medium: 'vinyl', rpm: 5 } }))).to.deep.equal([
        '/data/attributes/format/rpm',
      ])
      expect(readPointers(await create({ format: { medium: 'cd' } }))).to.deep.equal(['/data/attributes/format'])
    })

    it('returns 422 with a pointer to an unknown discriminator, and to the field when it is missing', async () => {
      for (const medium of ['tape', 7, null, 'toString']) {
        expect(readPointers(await create({ format: { medium } }))).to.deep.equal(['/data/attributes/format/medium'])
      }
      expect(readPointers(await create({ format: {} }))).to.deep.equal(['/data/attributes/format'])
    })

    it('validates against the stored variant until another is selected, which starts without stored values', async () => {
      const id = await created({ format: { medium: 'vinyl', rpm: 33 } })
      const same = await update(id, { format: { coloured: true } })
      expect(same.body.data.attributes.format).to.deep.equal({ medium: 'vinyl', rpm: 33, coloured: true })
      expect(readPointers(await update(id, { format: { medium: 'cd' } }))).to.deep.equal(['/data/attributes/format'])
      const other = await update(id, { format: { medium: 'cd', discs: 2 } })
      expect(other.body.data.attributes.format).to.deep.equal({ medium: 'cd', discs: 2 })
    })
  })

  describe('uniqueEntity()', () => {
    it('returns 422 with a pointer to the first sent field when another resource has the same values', async () => {
      await created({ handle: 'ada', realm: 'x' })
      expect(readPointers(await create({ handle: 'ada', realm: 'x' }))).to.deep.equal(['/data/attributes/handle'])
      expect((await create({ handle: 'ada', realm: 'y' })).status).to.equal(201)
      expect((await create({ handle: 'ada', realm: null })).status).to.equal(201)
    })

    it('excludes the resource itself, and includes its stored values', async () => {
      const id = await created({ handle: 'bob', realm: 'x' })
      expect((await update(id, { handle: 'bob', realm: 'x' })).status).to.equal(200)
      await created({ handle: 'bob', realm: 'z' })
      expect(readPointers(await update(id, { realm: 'z' }))).to.deep.equal(['/data/attributes/realm'])
    })

    it('returns 422 when the values are taken by a row outside the scope of the caller', async () => {
      const post = () =>
        app.client.post('/handles', { data: { type: 'handles', attributes: { handle: 'dora', realm: 'hidden' } } })
      expect((await post()).status).to.equal(201)
      expect(readPointers(await post())).to.deep.equal(['/data/attributes/handle'])
    })

    it('queries only when one of its fields is sent', async () => {
      const id = await created({ handle: 'cleo', realm: 'x' })
      const counted = async (attributes: object) =>
        (await statementsOf(() => update(id, attributes))).filter(({ sql }) => /count\(/.test(sql)).length
      expect(await counted({ score: 5 })).to.equal(0)
      expect(await counted({ realm: 'w' })).to.equal(1)
    })
  })
})

const schema = defineEntity({
  name: 'Form',
  tableName: 'forms',
  properties: {
    id: p.integer().primary(),
    mail: p.text().nullable(),
    strictMail: p.text().nullable(),
    mailText: p.text().nullable(),
    site: p.text().nullable(),
    ftp: p.text().nullable(),
    linkText: p.text().nullable(),
    key: p.uuid().nullable(),
    key4: p.uuid().nullable(),
    key7: p.uuid().nullable(),
    slug: p.text().nullable(),
    dotted: p.text().nullable(),
    address: p.text().nullable(),
    address4: p.text().nullable(),
    address6: p.text().nullable(),
    addressText: p.text().nullable(),
    code: p.text().nullable(),
    colour: p.text().nullable(),
    notColour: p.text().nullable(),
    grade: p.integer().nullable(),
    notGrade: p.integer().nullable(),
    size: p.text().nullable(),
    score: p.integer().nullable(),
    step: p.double().nullable(),
    share: p.double().nullable(),
    birthday: p.date().nullable(),
    opening: p.time().nullable(),
    season: p.date().nullable(),
    lunch: p.time().nullable(),
    past: p.datetime(3).nullable(),
    genres: p.array().nullable(),
    ratings: p.json<number[]>().nullable(),
    prefs: p.json<Record<string, unknown>>().nullable(),
    availability: p.json<Record<string, unknown>>().nullable(),
    dimensions: p.json<Record<string, unknown>>().nullable(),
    exclusive: p.json<Record<string, unknown>>().nullable(),
    media: p.json<Record<string, unknown>>().nullable(),
    every: p.text().nullable(),
    first: p.text().nullable(),
    some: p.text().nullable(),
    early: p.text().nullable(),
    late: p.text().nullable(),
    note: p.text().nullable(),
    from: p.date().nullable(),
    until: p.date().nullable(),
    base: p.integer().nullable(),
    other: p.integer().nullable(),
    password: p.text().nullable(),
    packaging: p.json<Record<string, unknown>>().nullable(),
    format: p.json<Record<string, unknown>>().nullable(),
    handle: p.text().nullable(),
    realm: p.text().nullable(),
  },
})

class Form extends schema.class {}
schema.setClass(Form)

const sizes = { Small: 'small', Large: 'large' } as const

const forms = defineResource(Form, {
  type: 'forms',
  fields: (f) => [
    f.id(),
    f.email('mail'),
    f.email('strictMail').strict(),
    f.string('mailText').email(true),
    f.url('site'),
    f.url('ftp').allowedSchemes('ftp', 'sftp'),
    f.string('linkText').url(['ftp']),
    f.uuid('key'),
    f.uuid('key4').version(4),
    f.uuid('key7').uuid(7),
    f.slug('slug'),
    f.string('dotted').slug(/^[a-z]+\.[a-z]+$/),
    f.ip('address').v4().both(),
    f.ip('address4').v4(),
    f.ip('address6').v6(),
    f.string('addressText').ip('v4'),
    f
      .string('code')
      .pattern(/^[A-Z0-9]+$/g)
      .pattern('^AB'),
    f.string('colour').in(['red', 'green']),
    f.string('notColour').notIn(['red', 'green']),
    f.integer('grade').in([1, 2]),
    f.integer('notGrade').notIn([1, 2]),
    f.string('size').enum(sizes),
    f.integer('score').exclusiveMin(0).exclusiveMax(10),
    f.decimal('step').multipleOf(0.5),
    f.decimal('share').multipleOf(0.1),
    f.date('birthday').before('2000-01-02'),
    f.time('opening').after('09:00:00'),
    f.date('season').between('2024-03-01', new Date('2024-05-31T12:00:00Z')),
    f.time('lunch').in(['12:00:00']).notIn(['13:00:00']),
    f.dateTime('past').before(() => new Date()),
    f.arrayList('genres').each((item) => item.minLength(1)),
    f.arrayList('ratings').each((item) => item.min(1).max(5)),
    f.arrayHash('prefs').minProperties(1).maxProperties(2),
    f.arrayHash('availability').constrain(
      shape.anyOf(
        { type: 'object', properties: { worldwide: { const: true } }, required: ['worldwide'] },
        {
          type: 'object',
          properties: { regions: { type: 'array', items: { type: 'string' }, minItems: 1 } },
          required: ['regions'],
        },
      ),
    ),
    f.arrayHash('dimensions').constrain(
      shape.allOf(
        {
          type: 'object',
          properties: { widthMm: { type: 'number' }, heightMm: { type: 'number' } },
          required: ['widthMm', 'heightMm'],
        },
        { type: 'object', properties: { depthMm: { type: 'number' } } },
      ),
    ),
    f
      .arrayHash('exclusive')
      .constrain(
        shape.oneOf(
          { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
        ),
      ),
    f.arrayHash('media').constrain(
      shape
        .oneOf(
          {
            type: 'object',
            properties: { kind: { const: 'cd' }, discs: { type: 'integer', minimum: 1 } },
            required: ['discs'],
          },
          { type: 'object', properties: { kind: { const: 'file' } } },
        )
        .discriminator('kind'),
    ),
    f.string('every').constrain(
      (field) => field.minLength(2).maxLength(5),
      (field) => field.pattern(/\d/),
    ),
    f.string('first').sequentially(
      (field) => field.minLength(2).maxLength(5),
      (field) => field.pattern(/\d/),
    ),
    f.string('some').atLeastOneOf(
      (field) => field.minLength(8),
      (field) => field.pattern(/\d/),
    ),
    f.string('early').onCreate((field) => field.minLength(3)),
    f.string('late').onUpdate((field) => field.minLength(3)),
    f
      .string('note')
      .when(
        (value) => value === '!',
        (field) => field.minLength(2),
      )
      .when(
        (_, caller) => caller?.header('x-careful') === 'yes',
        (field) => field.required().minLength(5),
      ),
    f.date('from').nullable(),
    f.date('until').nullable().compareWith('from', 'GreaterThan'),
    f.integer('base'),
    f.integer('equal').storedAs('other').compareWith('base', 'EqualTo'),
    f.integer('unequal').computed().compareWith('base', 'NotEqualTo'),
    f.integer('greater').computed().compareWith('base', 'GreaterThan'),
    f.integer('atLeast').computed().compareWith('base', 'GreaterThanOrEqual'),
    f.integer('less').computed().compareWith('base', 'LessThan'),
    f.integer('atMost').computed().compareWith('base', 'LessThanOrEqual'),
    f
      .string('password')
      .writeOnly()
      .deserializeUsing((value) => `hashed ${value}`),
    f.string('confirm').computed().writeOnly().compareWith('password', 'EqualTo'),
    f.obj('packaging', f.string('material').required().maxLength(40), f.boolean('gatefold')).nullable(),
    f
      .oneOf('format')
      .nullable()
      .discriminator('medium')
      .variant('vinyl', f.integer('rpm').required().min(16).max(78), f.boolean('coloured'))
      .variant('cd', f.integer('discs').required().min(1)),
    f.string('handle').uniqueEntity(['handle', 'realm']),
    f.string('realm').nullable(),
  ],
})

const drafts = defineResource(Form, {
  type: 'drafts',
  fields: ({ id, string }) => [id(), string('code').requiredOnUpdate()],
})

class HandlePolicy extends Policy<Form> {
  static override readonly needs = { view: [], update: [], delete: [] }
  static override readonly writesOutsideScope = true
  override scope = () => ({ realm: 'seen' })
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
}

const handles = defineResource(Form, {
  type: 'handles',
  fields: ({ id, string }) => [id(), string('handle').uniqueEntity(['handle', 'realm']), string('realm')],
  policy: HandlePolicy,
})

/** The pointers of a 422 response. */
function readPointers({ status, body, text }: ClientResponse): string[] {
  expect(status, text).to.equal(422)
  return body.errors.map(({ source }: { source: { pointer: string } }) => source.pointer)
}

function preview(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value).slice(0, 40)).join(' ')
}
