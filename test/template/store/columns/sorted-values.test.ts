import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { type BothPaths, create, startBothPaths } from '#test/template/support/both-paths.ts'

const schema = defineEntity({
  name: 'Score',
  tableName: 'scores',
  properties: {
    id: p.integer().primary().autoincrement(),
    points: p.array<number>().columnType('int[]'),
    names: p.array<string>(),
    mixed: p.json<unknown[]>(),
    ranks: p.json<Record<string, unknown>>(),
  },
})
class Score extends schema.class {}
schema.setClass(Score)

const scores = defineResource(Score, {
  type: 'scores',
  policy: 'open',
  fields: ({ id, arrayList, arrayHash }) => [
    id(),
    arrayList('points').sorted(),
    arrayList('names').sorted(),
    arrayList('mixed').sorted(),
    arrayHash('ranks').sortValues(),
  ],
})

describe('Sorted lists and objects', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Score], [scores])
  })
  after(() => app.close())

  for (const path of ['fast', 'regular'] as const) {
    it(`have numbers by value, before texts by code units: ${path} path`, async () => {
      const { status, body, text } = await create(app[path], 'scores', {
        points: [10, 9, -1, -10, 100],
        names: ['b', '9', '10', 'B', 'a'],
        mixed: ['b', 10, '1', 9, null, 2.5],
        ranks: { last: 'x', second: 10, first: 9 },
      })
      expect(status, text).to.equal(201)
      const shown = await app[path].client.get(`/scores/${body.data.id}`)
      for (const { attributes } of [body.data, shown.body.data]) {
        expect(attributes.points).to.deep.equal([-10, -1, 9, 10, 100])
        expect(attributes.names).to.deep.equal(['10', '9', 'B', 'a', 'b'])
        expect(attributes.mixed).to.deep.equal([2.5, 9, 10, '1', 'b', null])
        expect(Object.keys(attributes.ranks)).to.deep.equal(['first', 'second', 'last'])
      }
    })
  }
})
