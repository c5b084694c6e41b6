import { expect } from 'chai'
import { type Caller, defineResource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { readFaults } from '#test/template/specification/support.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Specimen } from '#test/template/support/library/specimens.ts'

const guest = { 'x-role': 'guest' }
const isGuest = (caller: Caller | null) => caller?.header('x-role') === 'guest'
const isNotRoot = ({ principal }: Caller) => principal?.identifier !== 'root'

const objects = defineResource(Specimen, {
  type: 'objects',
  fields: ({ id, string, integer, obj, map }) => [
    id(),
    map(
      'facts',
      string('text').nullable(),
      string('varchar')
        .nullable()
        .hidden((row) => row.boolean === true),
      string('char').nullable().writeOnly(),
      string('uuid').nullable().hidden(),
      integer('integer').nullable().readOnly(isGuest),
      integer('smallint').nullable().readOnlyOnUpdate(),
      integer('real').nullable().readOnlyOnCreate(),
      string('mirrored').nullable().hiddenFor(isNotRoot),
    ),
    obj(
      'extra',
      string('open').required(),
      string('secret').hidden(),
      string('byRow').hidden((row) => row.boolean === true),
      string('byRequest').hidden((_row, request) => isGuest(request)),
      string('pin').writeOnly().minLength(4),
      integer('guarded').required().readOnly(isGuest),
      string('once').readOnlyOnUpdate(),
      string('later').readOnlyOnCreate(),
      string('rootOnly').hiddenFor(isNotRoot),
      obj('deep', string('a'), string('b').hidden(), string('c').readOnly(), string('d').hiddenFor(isNotRoot)),
    )
      .storedAs('json')
      .nullable(),
  ],
})

const variants = defineResource(Specimen, {
  type: 'variants',
  fields: ({ id, string, integer, oneOf }) => [
    id(),
    oneOf('shape')
      .variant(
        'circle',
        integer('radius'),
        string('secret').hidden(),
        string('byRow').hidden((row) => row.boolean === true),
        string('pin').writeOnly(),
        string('fixed').readOnlyOnUpdate(),
        string('rootOnly').hiddenFor(isNotRoot),
      )
      .variant('square', integer('side'), integer('guarded').readOnly(isGuest))
      .storedAs('json')
      .nullable(),
  ],
})

const whole = {
  open: 'o',
  secret: 's',
  byRow: 'r',
  byRequest: 'q',
  pin: 'pppp',
  guarded: 1,
  once: 'x',
  later: 'l',
  rootOnly: 'm',
  undeclared: 'u',
  deep: { a: 'a', b: 'b', c: 'c', d: 'd', undeclared: 'u' },
}

describe('Children of map, obj and oneOf', () => {
  let library: TestApp

  before(async () => {
    library = await startLibrary({ resources: declared(objects, variants), plugins: pluginsWithTokens('root', 'ann') })
  })
  beforeEach(emptyLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  async function insert(row: object): Promise<void> {
    const { orm } = await libraryDatabase()
    await orm.em.fork().insert(Specimen, { id: 1n, ...row } as never)
  }
  async function stored(): Promise<Specimen> {
    const { orm } = await libraryDatabase()
    return orm.em.fork().findOneOrFail(Specimen, { id: { $gt: 0n } })
  }
  const read = async (type: string, headers = {}, query = '') =>
    (await library.client.get(`/${type}/1${query}`, headers)).body.data.attributes
  const change = (type: string, attributes: object, headers = {}) =>
    library.client.patch(`/${type}/1`, { data: { type, id: '1', attributes } }, headers)
  const create = (type: string, attributes: object, headers = {}) =>
    library.client.post(`/${type}`, { data: { type, attributes } }, headers)

  describe('of an obj', () => {
    it('are omitted when hidden(), writeOnly(), hidden(fn) or hiddenFor(fn) holds, at every depth', async () => {
      await insert({ json: whole, boolean: true })
      expect((await read('objects')).extra).to.deep.equal({
        open: 'o',
        byRequest: 'q',
        guarded: 1,
        once: 'x',
        later: 'l',
        deep: { a: 'a', c: 'c' },
      })
    })

    it('are shown when hidden(fn) and hiddenFor(fn) return false', async () => {
      await insert({ json: whole, boolean: false })
      expect((await read('objects', as('root'))).extra).to.deep.equal({
        open: 'o',
        byRow: 'r',
        byRequest: 'q',
        guarded: 1,
        once: 'x',
        later: 'l',
        rootOnly: 'm',
        deep: { a: 'a', c: 'c', d: 'd' },
      })
    })

    it('are omitted by request and by row, also with a sparse fieldset', async () => {
      await insert({ json: whole, boolean: true })
      const { extra } = await read('objects', guest, '?fields[objects]=extra')
      expect(extra).to.have.all.keys('open', 'guarded', 'once', 'later', 'deep')
    })

    it('keep the stored value when hidden() or read-only, and an undeclared member of a nested obj is not stored', async () => {
      await insert({ json: whole })
      const sent = {
        ...whole,
        open: 'o2',
        secret: '!',
        guarded: 9,
        once: '!',
        later: 'l2',
        rootOnly: 'm2',
        pin: 'qqqq',
      }
      const answer = await change(
        'objects',
        { extra: { ...sent, undeclared: '!', deep: { a: 'a2', b: '!', c: '!', d: 'd2', more: '!' } } },
        guest,
      )
      expect(answer.status, answer.text).to.equal(200)
      expect((await stored()).json).to.deep.equal({
        ...whole,
        open: 'o2',
        later: 'l2',
        rootOnly: 'm2',
        pin: 'qqqq',
        deep: { ...whole.deep, a: 'a2', d: 'd2' },
      })
    })

    it('are stored when readOnly(fn) returns false', async () => {
      await insert({ json: whole })
      await change('objects', { extra: { guarded: 9 } })
      expect((await stored()).json).to.deep.equal({ ...whole, guarded: 9 })
    })

    it('are neither validated nor required while read-only', async () => {
      await insert({ json: whole })
      expect((await change('objects', { extra: { guarded: 'no number', once: 5 } }, guest)).status).to.equal(200)
      expect((await stored()).json).to.deep.equal(whole)
    })

    it('are not required on create while read-only', async () => {
      const made = await create('objects', { extra: { open: 'x', later: 7 } }, guest)
      expect(made.status, made.text).to.equal(201)
      expect((await stored()).json).to.deep.equal({ open: 'x' })
    })

    it('are validated when they are writable', async () => {
      await insert({ json: whole })
      const refused = await change('objects', { extra: { guarded: 'no number', pin: 'p' } })
      expect(readFaults(refused).map(({ source }) => source)).to.deep.equal([
        { pointer: '/data/attributes/extra/pin' },
        { pointer: '/data/attributes/extra/guarded' },
      ])
    })

    it('are stored on create unless hidden(), read-only or readOnlyOnCreate()', async () => {
      const { undeclared, deep, ...sent } = whole
      const made = await create('objects', { extra: { ...sent, deep } }, guest)
      expect(made.status, made.text).to.equal(201)
      expect((await stored()).json).to.deep.equal({
        open: 'o',
        byRow: 'r',
        byRequest: 'q',
        pin: 'pppp',
        once: 'x',
        rootOnly: 'm',
        deep: { a: 'a', d: 'd' },
      })
    })

    it('keep the stored value of a protected child when null is sent for the obj', async () => {
      await insert({ json: whole })
      expect((await change('objects', { extra: null }, guest)).status).to.equal(200)
      expect((await stored()).json).to.deep.equal({
        secret: 's',
        guarded: 1,
        once: 'x',
        deep: { b: 'b', c: 'c' },
      })
    })
  })

  describe('of a oneOf', () => {
    const circle = {
      type: 'circle',
      radius: 1,
      secret: 's',
      byRow: 'r',
      pin: 'p',
      fixed: 'f',
      rootOnly: 'm',
      more: 'u',
    }

    it('are omitted when hidden(), writeOnly(), hidden(fn) or hiddenFor(fn) holds', async () => {
      await insert({ json: circle, boolean: true })
      expect((await read('variants')).shape).to.deep.equal({ type: 'circle', radius: 1, fixed: 'f' })
    })

    it('are shown when the functions return false', async () => {
      await insert({ json: circle, boolean: false })
      expect((await read('variants', as('root'))).shape).to.deep.equal({
        type: 'circle',
        radius: 1,
        byRow: 'r',
        fixed: 'f',
        rootOnly: 'm',
      })
    })

    it('keep the stored value when hidden() or read-only', async () => {
      await insert({ json: circle })
      const shape = { radius: 2, secret: '!', fixed: '!', pin: 'q', rootOnly: 'n' }
      expect((await change('variants', { shape })).status).to.equal(200)
      expect((await stored()).json).to.deep.equal({ ...circle, radius: 2, pin: 'q', rootOnly: 'n' })
    })

    it('of another variant are not stored while read-only', async () => {
      await insert({ json: circle })
      const shape = { type: 'square', side: 3, guarded: 4 }
      expect((await change('variants', { shape }, guest)).status).to.equal(200)
      expect((await stored()).json).to.deep.equal({ type: 'square', side: 3 })
    })
  })

  describe('of a map', () => {
    const row = { text: 't', varchar: 'v', char: 'ccc', integer: 1, smallint: 2, real: 3, mirrored: 'm' }

    it('are omitted when hidden(), writeOnly(), hidden(fn) or hiddenFor(fn) holds', async () => {
      await insert({ ...row, boolean: true })
      expect((await read('objects', as('ann'))).facts).to.deep.equal({ text: 't', integer: 1, smallint: 2, real: 3 })
      expect((await read('objects', as('root'))).facts).to.deep.equal({
        text: 't',
        integer: 1,
        smallint: 2,
        real: 3,
        mirrored: 'm',
      })
    })

    it('render the map as null when every visible child is null', async () => {
      await insert({ varchar: 'v', mirrored: 'm', boolean: true })
      expect((await read('objects')).facts).to.equal(null)
    })

    it('keep the stored value when read-only', async () => {
      await insert(row)
      const facts = { text: 't2', integer: 9, smallint: 9, real: 9, mirrored: 'n' }
      expect((await change('objects', { facts }, guest)).status).to.equal(200)
      const { text, integer, smallint, real, mirrored } = await stored()
      expect({ text, integer, smallint, real, mirrored }).to.deep.equal({
        text: 't2',
        integer: 1,
        smallint: 2,
        real: 9,
        mirrored: 'n',
      })
    })
  })
})
