import { expect } from 'chai'
import '#test/support/catalogue.ts'
import { readComparisons } from '../../../../scripts/explain/conditions.ts'
import { formatPlan } from '../../../../scripts/explain/format-plan.ts'
import { createStatement, indexCandidates } from '../../../../scripts/explain/index-candidates.ts'
import { type PlanNode, withoutValues } from '../../../../scripts/explain/plan.ts'
import { readRequestLine } from '../../../../scripts/explain/send-request.ts'
import type { Catalog } from '../../../../scripts/support/catalog.ts'

const catalog: Catalog = {
  indexes: [{ table: 'songs', method: 'btree', keys: ['title', 'id'], operators: '' }],
  uniqueIndexes: [],
  foreignKeys: [],
  categories: new Map([['songs.live', 'B']]),
  unboundedTexts: new Set(),
  hasTrigrams: true,
}

const scan = (members: Partial<PlanNode>): PlanNode => ({
  'Node Type': 'Seq Scan',
  'Relation Name': 'songs',
  Alias: 't0',
  'Startup Cost': 0,
  'Total Cost': 10,
  'Plan Rows': 5,
  ...members,
})
const sorted = (keys: readonly string[], child: PlanNode): PlanNode => ({
  ...scan({}),
  'Node Type': 'Sort',
  'Sort Key': keys,
  Plans: [child],
})
const created = (root: PlanNode, change: Partial<Catalog> = {}) =>
  indexCandidates(root, { ...catalog, ...change }).map(({ create }) => create)

describe('Comparisons of a filter', () => {
  for (const [filter, keys] of [
    ['(t0.artist_id = 5)', ['artist_id =']],
    ['((t0."order" > 2) AND ((t0.label)::text = \'a AND (b\'::text))', ['order >', 'label =']],
    ["(lower((t0.title)::text) ~~ 'ok%'::text)", ['lower((title)::text) ~~']],
    ["(genres @> '{jazz}'::text[])", ['genres @>']],
    ["(t0.id = ANY ('{1,2}'::integer[]))", ['id =']],
    ['(t0.live AND (t0.deleted_at IS NULL) AND (t0.size <= 3))', ['size <=']],
    ['((t0.a = 1) OR (t0.b = 2))', []],
    ['(NOT (hashed SubPlan 1))', []],
    ['(t0.id = $0)', ['id =']],
  ] as const) {
    it(`of ${filter} are ${keys.join(', ') || 'none'}`, () => {
      const found = readComparisons(filter, 't0').map(({ key, operator }) => `${key} ${operator}`)
      expect(found).to.deep.equal(keys)
    })
  }
})

describe('Proposed indexes', () => {
  it('have equal values first, then the order', () => {
    const filter = '((t0.live) AND (t0.artist_id = 5) AND (t0.size > 3))'
    expect(created(sorted(['t0.title DESC', 't0.id DESC'], scan({ Filter: filter })))).to.deep.equal([
      'create index "songs_artist_id_title_id_index" on "songs" ("artist_id", "title", "id")',
    ])
    expect(created(scan({ Filter: filter }))).to.deep.equal([
      'create index "songs_artist_id_size_index" on "songs" ("artist_id", "size")',
    ])
  })

  it('have a direction only if the directions differ', () => {
    expect(created(sorted(['title DESC', 'id'], scan({})))).to.deep.equal([
      'create index on "songs" ("title" DESC, "id")',
    ])
  })

  it('are GIN for arrays and parts of texts, and need pg_trgm for the latter', () => {
    const filter = "((t0.genres @> '{jazz}'::text[]) AND (lower((t0.title)::text) ~~ '%ok%'::text))"
    const [genres, title] = created(scan({ Filter: filter }))
    expect(genres).to.equal('create index "songs_genres_index" on "songs" using gin ("genres")')
    expect(title).to.equal('create index on "songs" using gin ((lower((title)::text)) gin_trgm_ops)')
    expect(created(scan({ Filter: filter }), { hasTrigrams: false })).to.deep.equal([genres])
  })

  it('are B-trees for the start of a text', () => {
    expect(created(scan({ Filter: "(lower((t0.title)::text) ~~ 'ok%'::text)" }))).to.deep.equal([
      'create index on "songs" ((lower((title)::text)))',
    ])
  })

  it('are none for booleans, null checks and scans without a filter and an order', () => {
    const filters = ['(t0.live = true)', '(t0.deleted_at IS NULL)', undefined]
    for (const filter of filters) expect(created(scan(filter ? { Filter: filter } : {}))).to.deep.equal([])
    expect(created(scan({ 'Node Type': 'Index Scan', Filter: '(t0.size = 1)' }))).to.deep.equal([])
  })

  it('are marked if the database has them', () => {
    const [candidate] = indexCandidates(sorted(['t0.title', 't0.id'], scan({})), catalog)
    expect(candidate?.exists).to.equal(true)
  })

  it('have the given name in a trial', () => {
    const index = { table: 'songs', method: 'btree', keys: ['size'], operators: '' }
    expect(createStatement(index, 'trial')).to.equal('create index "trial" on "songs" ("size")')
  })
})

describe('A printed plan', () => {
  it('has no values of conditions, and keeps names that contain digits', () => {
    const plan = { Plan: scan({ Filter: "((t0.size = 42) AND (t0.title = 'it''s'::text))", 'Index Name': 'songs_2' }) }
    const printed = formatPlan(withoutValues(plan))
    expect(printed).to.include('Filter: ((t0.size = ?) AND (t0.title = ?::text))')
    expect(printed).to.include('using songs_2 on songs t0')
    expect(printed).to.match(/not executed$/)
  })
})

describe('A request line', () => {
  it('has a method, GET by default, and a path', () => {
    expect(readRequestLine('patch /albums/1')).to.deep.equal({ method: 'PATCH', path: '/albums/1' })
    expect(readRequestLine('/albums?sort=title')).to.deep.equal({ method: 'GET', path: '/albums?sort=title' })
    expect(readRequestLine('GET albums')).to.equal(null)
  })
})
