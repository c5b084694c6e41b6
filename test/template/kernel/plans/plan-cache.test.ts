import { expect } from 'chai'
import { PlanCache } from '#app/kernel/plan/plan-cache.ts'
import type { QueryContext } from '#kernel/plugin'
import { createQuery, isNull } from '#kernel/queries'
import { buildApp } from '#test/support/app.ts'

describe('The cache of queries', () => {
  let context: QueryContext
  before(async () => {
    const app = await buildApp()
    const [server] = app.servers as [QueryContext['server']]
    const type = server.types.get('albums') as QueryContext['target']['type']
    const { limits } = app.config
    const target = { kind: 'collection', server, type } as const
    context = {
      app,
      server,
      kind: 'FetchCollection',
      target,
      request: null,
      profiles: new Set(),
      visibility: null,
      strict: true,
      limits,
    }
  })
  const counting = () => {
    const reads = { count: 0 }
    const read = ({ target }: QueryContext) => {
      reads.count++
      return createQuery(target)
    }
    return { reads, read }
  }

  it('reads a text twice, and keeps it then', () => {
    const cache = new PlanCache()
    const { reads, read } = counting()
    for (let time = 0; time < 5; time++) cache.read(context, 'sort=title', read)
    expect([reads.count, cache.sizes.queries]).to.deep.equal([2, 1])
  })

  it('keeps other targets, operations, servers and profiles apart', () => {
    const cache = new PlanCache()
    const { reads, read } = counting()
    const [first, second] = context.app.servers as [QueryContext['server'], QueryContext['server']]
    const contexts: QueryContext[] = [
      context,
      { ...context, kind: 'Create' },
      { ...context, target: { ...context.target, kind: 'resource', id: '1' } },
      { ...context, profiles: new Set(first.profiles.slice(0, 1)) },
      { ...context, profiles: null },
      { ...context, strict: false },
      { ...context, server: second },
    ]
    for (let time = 0; time < 3; time++) for (const each of contexts) cache.read(each, '', read)
    expect(reads.count).to.equal(2 * contexts.length)
  })

  it('shares a query by rows of all ids, and never a query of a long text or one that was read with the request', () => {
    const cache = new PlanCache()
    const { reads, read } = counting()
    const ofRow = (id: string): QueryContext => ({ ...context, kind: 'FetchOne', target: { ...context.target, id } })
    const readWithoutId = (reading: QueryContext) => {
      expect(reading.target).not.to.have.property('id')
      return read(reading)
    }
    for (let id = 1; id <= 10; id++) cache.read(ofRow(String(id)), '', readWithoutId)
    expect(reads.count).to.equal(2)
    for (let time = 0; time < 5; time++) cache.read(context, `filter[title]=${'a'.repeat(500)}`, read)
    expect(reads.count).to.equal(7)
    const readWithRequest = (reading: QueryContext) => {
      const query = read(reading)
      if (!reading.request) query.where.push(isNull('title'))
      return query
    }
    for (let time = 0; time < 5; time++) cache.read(context, 'filter[mine]=1', readWithRequest)
    expect([reads.count, cache.sizes.queries]).to.deep.equal([12, 1])
  })

  it('returns a query whose shared parts cannot be changed', () => {
    const cache = new PlanCache()
    const { read } = counting()
    for (let time = 0; time < 2; time++) cache.read(context, '', read)
    const { query: kept } = cache.read(context, '', read)
    expect(() => kept.where.push(isNull('title'))).to.throw(TypeError)
    kept.sort = [{ key: 'title', property: 'title', descending: false }]
    expect(cache.read(context, '', read).query.sort).to.deep.equal([])
  })

  it('returns a plan that cannot be changed', () => {
    const cache = new PlanCache()
    const { plan } = cache.read(context, '', counting().read)
    const planned = plan.query as NonNullable<typeof plan.query>
    const { type } = context.target
    const shown = planned.types.get(type)
    const parts = [plan, planned, planned.addressed, planned.addressed.includes, planned.scoped]
    const ofType = [shown, shown?.shown, shown?.shown.attributes, shown?.primary, shown?.primary.foreignKeys]
    const selection = planned.selections.get(type)
    for (const part of [...parts, ...ofType, selection, selection?.properties]) {
      expect(part).to.be.an.instanceOf(Object)
      expect(Object.isFrozen(part)).to.equal(true)
    }
  })

  it('holds at most 1,000 of 50,000 texts', () => {
    const cache = new PlanCache()
    const { read } = counting()
    for (let text = 0; text < 50_000; text++) {
      for (let time = 0; time < 2; time++) cache.read(context, `filter[title]=${text}`, read)
    }
    expect(cache.sizes.queries).to.equal(1_000)
  })

  it('keeps what is in use while other texts come and go', () => {
    const cache = new PlanCache()
    const { reads, read } = counting()
    for (let text = 0; text < 5_000; text++) {
      cache.read(context, 'sort=title', read)
      for (let time = 0; time < 2; time++) cache.read(context, `filter[title]=${text}`, read)
    }
    expect(reads.count).to.equal(2 + 2 * 5_000)
  })
})
