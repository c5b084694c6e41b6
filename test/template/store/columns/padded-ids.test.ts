import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import { type BothPaths, startBothPaths } from '#test/template/support/both-paths.ts'

// PostgreSQL pads a char(5) with blanks, which are not part of the value.

const schema = defineEntity({
  name: 'Harbour',
  tableName: 'harbours',
  properties: {
    id: p.character().length(5).primary(),
    name: p.text(),
    next: () => p.manyToOne(Harbour).ref().nullable(),
    earlier: () => p.oneToMany(Harbour).mappedBy('next'),
  },
})
class Harbour extends schema.class {}
schema.setClass(Harbour)

const harbours = defineResource(Harbour, {
  type: 'harbours',
  policy: 'open',
  fields: ({ id, string, belongsTo, hasMany }) => [
    id().requireClientId(),
    string('name'),
    belongsTo('next', 'harbours'),
    hasMany('earlier', 'harbours'),
  ],
})

describe('An id in a column of the type char', () => {
  let app: BothPaths
  before(async () => {
    app = await startBothPaths([Harbour], [harbours])
  })
  beforeEach(async () => {
    await app.execute('truncate harbours')
    await app.execute(`insert into harbours values ('AB', 'one', null), ('CD', 'two', 'AB')`)
  })
  after(() => app.close())

  for (const path of ['fast', 'regular'] as const)
    describe(`on the ${path} path`, () => {
      const get = async (url: string) => (await app[path].client.get(url)).body
      const idsOf = (resources: { id: string }[]) => resources.map(({ id }) => id)

      it('is shown without blanks in collections, URLs, linkage and included resources', async () => {
        const { data, included } = await get('/harbours?include=next,earlier')
        expect(idsOf(data)).to.have.members(['AB', 'CD'])
        expect(included ?? []).to.deep.equal([])
        const one = await get('/harbours/CD?include=next')
        expect(one.data.id).to.equal('CD')
        expect(one.data.links.self).to.match(/\/harbours\/CD$/)
        expect(one.data.relationships.next.data).to.deep.equal({ type: 'harbours', id: 'AB' })
        expect(idsOf(one.included)).to.deep.equal(['AB'])
        expect(idsOf((await get('/harbours/AB/earlier')).data)).to.deep.equal(['CD'])
        expect(idsOf((await get('/harbours/AB/relationships/earlier')).data)).to.deep.equal(['CD'])
        expect(idsOf((await get('/harbours/AB?include=earlier')).included)).to.deep.equal(['CD'])
      })

      it('is shown without blanks in the responses of writes', async () => {
        const { client } = app[path]
        const next = { data: { type: 'harbours', id: 'AB' } }
        const data = { type: 'harbours', id: 'EF', attributes: { name: 'three' }, relationships: { next } }
        const created = await client.post('/harbours', { data })
        expect(created.body.data?.id, created.text).to.equal('EF')
        expect(created.headers.get('location')).to.match(/\/harbours\/EF$/)
        expect(created.body.data.relationships.next.data).to.deep.equal(next.data)
        const attributes = { name: 'changed' }
        const updated = await client.patch('/harbours/CD', { data: { type: 'harbours', id: 'CD', attributes } })
        expect(updated.body.data?.id, updated.text).to.equal('CD')
        expect((await client.delete('/harbours/EF')).status).to.equal(204)
      })
    })
})
