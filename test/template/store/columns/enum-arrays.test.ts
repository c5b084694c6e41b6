import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { add, sendBatch } from '#test/support/batch.ts'
import { type BothPaths, create, startBothPaths } from '#test/template/support/both-paths.ts'

const schema = defineEntity({
  name: 'Diary',
  tableName: 'diaries',
  properties: {
    id: p.integer().primary().autoincrement(),
    moods: p.enum(['calm', 'Cross']).array().nativeEnumName('diary_mood').nullable(),
    topics: p.enum(['work', 'Play']).array().nullable(),
    marks: p.enum([1, 2]).array().nullable(),
  },
})
class Diary extends schema.class {}
schema.setClass(Diary)

const diaries = defineResource(Diary, {
  type: 'diaries',
  policy: 'open',
  fields: ({ id, arrayList }) => [
    id(),
    arrayList('moods').nullable(),
    arrayList('topics').nullable(),
    arrayList('marks').nullable(),
  ],
  filters: ({ where, whereIn, contains }) => [
    where('moods'),
    whereIn('anyMood', 'moods'),
    where('laterMood', 'moods', '>'),
    contains('mood', 'moods'),
    where('topics'),
    where('marks'),
  ],
})

const values = { moods: ['Cross', 'calm'], topics: ['Play'], marks: [2, 1] }

describe('An array of enum values', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Diary], [diaries])
  })
  beforeEach(() => app.execute('truncate diaries restart identity'))
  after(() => app.close())

  for (const path of ['fast', 'regular'] as const) {
    it(`is created and changed: ${path} path`, async () => {
      const { status, body, text } = await create(app[path], 'diaries', values)
      expect(status, text).to.equal(201)
      expect(body.data.attributes).to.deep.equal(values)
      const data = { type: 'diaries', id: '1', attributes: { moods: ['calm'], topics: [] } }
      const changed = await app[path].client.patch('/diaries/1', { data })
      expect(changed.body.data.attributes).to.deep.equal({ moods: ['calm'], topics: [], marks: [2, 1] })
    })

    for (const [name, items] of Object.entries({ moods: ['calm', 'sad'], topics: ['work', 'x'], marks: [1, 3] })) {
      it(`with another item is a 422 at the attribute: ${name}, ${path} path`, async () => {
        const { status, body } = await create(app[path], 'diaries', { [name]: items })
        expect(status).to.equal(422)
        expect(body.errors[0].source).to.deep.equal({ pointer: `/data/attributes/${name}` })
      })
    }
  }

  it('is created by a batch', async () => {
    const { status, text } = await sendBatch(app.fast.client, [add('diaries', values), add('diaries', values)])
    expect(status, text).to.equal(200)
    expect(await app.execute('select moods::text from diaries')).to.deep.equal(Array(2).fill({ moods: '{Cross,calm}' }))
  })

  for (const [filter, ids] of Object.entries({
    'filter[moods]=calm': ['1', '2'],
    'filter[moods]=Cross': ['2'],
    'filter[anyMood]=calm,Cross': ['1', '2'],
    'filter[laterMood]=calm': ['2'],
    'filter[mood]=cro': ['2'],
    'filter[topics]=Play': ['1'],
    'filter[marks]=2': ['2'],
  })) {
    it(`is filtered by its items: ${filter}`, async () => {
      await create(app.fast, 'diaries', { moods: ['calm'], topics: ['Play'] })
      await create(app.fast, 'diaries', { moods: ['calm', 'Cross'], topics: ['work'], marks: [2] })
      const { status, body, text } = await app.fast.client.get(`/diaries?${filter}`)
      expect(status, text).to.equal(200)
      expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(ids)
    })
  }

  for (const [filter, accepted] of Object.entries({
    'filter[moods]=sad': 'calm, Cross',
    'filter[anyMood]=calm,sad': 'calm, Cross',
    'filter[topics]=sad': 'work, Play',
    'filter[marks]=3': '1, 2',
  })) {
    it(`returns 400 with the accepted items when it is filtered by another item: ${filter}`, async () => {
      const { status, body } = await app.fast.client.get(`/diaries?${filter}`)
      expect(status).to.equal(400)
      expect(body.errors[0].detail).to.include(`accepted: ${accepted}.`)
    })
  }
})
