import { expect } from 'chai'
import type { App, ResourceType } from '#kernel/plugin'
import type { Database } from '#store'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { buildSections, liveSections } from '../../../scripts/doctor/live-sections.ts'
import { declarationSections } from '../../../scripts/doctor/project-sections.ts'
import { countFaults, formatSection, type Section } from '../../../scripts/doctor/section.ts'
import { createRouteFinder } from '../../../scripts/doctor/statement-routes.ts'
import { readStatistics, type Statistics, type TableStatistics } from '../../../scripts/doctor/statistics.ts'
import { type Catalog, readCatalog } from '../../../scripts/support/catalog.ts'

describe('npm run doctor on a live database', () => {
  let app: App
  let client: Client
  let database: Database
  let catalog: Catalog
  before(async () => {
    ;({ app, client } = await catalogue())
    database = await testDatabase()
    catalog = await readCatalog(database.orm)
  })

  const none: Statistics = { tables: [], unusedIndexes: [], sequences: [], statements: null }
  const busy: TableStatistics = {
    table: 'albums',
    rows: 50_000,
    deadRows: 0,
    sequentialScans: 0,
    rowsReadSequentially: 0,
    indexScans: 100,
    isVacuumed: true,
    isAnalyzed: true,
    transactionAge: 1000,
  }
  const section = (name: string, statistics: Partial<Statistics>, change: Partial<Catalog> = {}): Section =>
    named(buildSections(app, database, { ...catalog, ...change }, { ...none, ...statistics }), name)

  it('reads the statistics of every table as numbers', async () => {
    const { tables, sequences } = await readStatistics(database.orm)
    const names = tables.map(({ table }) => table)
    expect(names).to.include.members(['albums', 'tracks', 'playlist_tracks'])
    for (const [name, value] of Object.entries(tables[0] ?? {})) {
      expect(value, name).to.be.a(name === 'table' ? 'string' : name.startsWith('is') ? 'boolean' : 'number')
    }
    expect(sequences.find(({ sequence }) => sequence === 'albums_id_seq')?.max).to.equal(2_147_483_647)
  })

  it('finds nothing in a new database, and reports sections that exit with 0', async () => {
    const sections = await liveSections(app, database)
    expect(sections.map(({ name }) => name)).to.deep.equal([
      'unusedIndexes',
      'sequentialScans',
      'tablesWithoutMaintenance',
      'sequencesNearTheirEnd',
      'statements',
    ])
    expect(countFaults(sections, true)).to.equal(0)
  })

  it('lists unused indexes with size and the declarations that need them', () => {
    const index = { table: 'albums', method: 'btree', bytes: 3 * 2 ** 20 }
    const unusedIndexes = [
      { ...index, name: 'albums_title_id_index', keys: ['title', 'id'] },
      { ...index, name: 'albums_label_index', keys: ['label'] },
      { ...index, name: 'albums_artist_id_index', keys: ['artist_id'] },
    ]
    const { findings, severity } = section('unusedIndexes', { tables: [busy], unusedIndexes })
    expect(severity).to.equal('hint')
    expect(findings).to.deep.equal([
      {
        index: 'albums_title_id_index',
        table: 'albums',
        size: '3 MiB',
        declaredFor: ['albums?sort=title'],
        drop: 'drop index concurrently "albums_title_id_index";',
      },
      {
        index: 'albums_label_index',
        table: 'albums',
        size: '3 MiB',
        declaredFor: [],
        drop: 'drop index concurrently "albums_label_index";',
      },
    ])
    const quiet = { ...busy, indexScans: 99 }
    expect(section('unusedIndexes', { tables: [quiet], unusedIndexes }).findings).to.deep.equal([])
  })

  it('lists sequential scans of large tables with the index of the declared filter, sort or relation', () => {
    const scanned = { ...busy, sequentialScans: 200, rowsReadSequentially: 200 * 50_000 }
    const { indexes } = catalog
    const withoutTitle = indexes.filter(({ table, keys }) => table !== 'albums' || keys[0] !== 'title')
    const { findings } = section(
      'sequentialScans',
      { tables: [scanned] },
      { indexes: withoutTitle, hasTrigrams: false },
    )
    expect(findings).to.deep.equal([
      {
        table: 'albums',
        rows: 50_000,
        scans: 200,
        rowsPerScan: 50_000,
        missingIndexes: ['albums?sort=title: create index "albums_title_id_index" on "albums" ("title", "id");'],
      },
    ])
    for (const other of [
      { ...scanned, rows: 9_999 },
      { ...scanned, sequentialScans: 99 },
      { ...scanned, rowsReadSequentially: 200 * 10 },
    ]) {
      expect(section('sequentialScans', { tables: [other] }).findings).to.deep.equal([])
    }
  })

  it('lists large tables without vacuum or analyze, with dead rows, or near the end of transaction ids', () => {
    const tables = [
      { ...busy, table: 'a', isVacuumed: false, isAnalyzed: false },
      { ...busy, table: 'b', deadRows: 20_000 },
      { ...busy, table: 'c', transactionAge: 1_500_000_000 },
      { ...busy, table: 'd', rows: 10, isVacuumed: false, deadRows: 9 },
      busy,
    ]
    const { findings } = section('tablesWithoutMaintenance', { tables })
    expect(findings.map(({ table, reasons }) => [table, reasons])).to.deep.equal([
      ['a', ['never vacuumed', 'never analyzed']],
      ['b', ['20000 dead rows']],
      ['c', ['1500000000 transactions since the last freeze']],
    ])
  })

  it('reports a sequence near the end of its column as a fault', async () => {
    const em = database.orm.em.fork()
    await em.begin()
    let found: Section
    try {
      await em.execute(`select setval('artists_id_seq', 1900000000)`)
      const { sequences } = await readStatistics({ em: { fork: () => em } } as unknown as Database['orm'])
      found = section('sequencesNearTheirEnd', { sequences })
    } finally {
      await em.execute(`select setval('artists_id_seq', (select max(id) from artists))`) // is not rolled back
      await em.rollback()
    }
    expect(found.findings).to.deep.equal([
      { sequence: 'artists_id_seq', last: 1_900_000_000, max: 2_147_483_647, used: '88 %' },
    ])
    expect(countFaults([found], false)).to.equal(1)
    expect(formatSection(found)).to.match(/^Sequences near their end: .*\n {2}artists_id_seq {2}1900000000 /)
  })

  it('explains how to get statements when a server has no pg_stat_statements', () => {
    const { skipped, findings } = section('statements', {})
    expect(findings).to.deep.equal([])
    if (hasServer) expect(skipped).to.match(/create extension pg_stat_statements;$/)
    else expect(skipped).to.equal(undefined)
  })

  it('lists types without a policy, unless they declare that they are open', () => {
    const typesOf = (listed: App) => named(declarationSections(listed), 'typesWithoutPolicy').findings
    expect(typesOf(app)).to.deep.equal([])
    const charts = app.registry.types.get('charts') as ResourceType
    const { policy: _, ...declaration } = charts.declaration
    const types = new Map([['charts', { ...charts, declaration }]])
    expect(typesOf({ ...app, registry: { ...app.registry, types } } as App)).to.deep.equal([
      { type: 'charts', operations: ['FetchCollection', 'FetchOne'], file: charts.file },
    ])
  })

  it('lists the types that are written as entities, with the reason', () => {
    const { findings } = named(declarationSections(app), 'typesWrittenAsEntities')
    expect(findings).to.deep.include({ type: 'charts', reason: 'the type has a persister of its own' })
    expect(findings.map(({ type }) => type))
      .to.include('playlists')
      .and.not.to.include('albums')
  })

  describe('maps statements to routes', () => {
    const admin = as('admin')
    const album = { type: 'albums', id: '1', attributes: { title: 'Mapped' } }
    const artist = { type: 'artists', attributes: { name: 'Mapped', slug: 'mapped' } }
    const tracks = [{ type: 'tracks', id: '4' }]
    const playlist = '/playlists/00000000-0000-4000-8000-000000000001'
    for (const [title, send, expected] of [
      ['a collection', () => client.get('/albums?sort=title'), 'GET /albums'],
      ['one resource', () => client.get('/albums/1'), 'GET /albums/{id}'],
      ['a related page', () => client.get('/albums/1/tracks'), 'GET /albums/{id}/tracks'],
      ['a relationship', () => client.get('/albums/1/relationships/tracks'), 'GET /albums/{id}/relationships/tracks'],
      ['a to-one include', () => client.get('/albums?include=artist'), 'include=artist of /albums'],
      ['a to-many include', () => client.get('/albums/1?include=tracks'), 'include=tracks of /albums'],
      ['a many-to-many include', () => client.get('/tracks?include=playlists'), 'include=playlists of /tracks'],
      ['a create', () => client.post('/artists', { data: artist }, admin), 'POST /artists'],
      ['an update', () => client.patch('/albums/1', { data: album }, admin), 'PATCH /albums/{id}'],
      ['a delete', () => client.delete('/tracks/1', undefined, admin), 'DELETE /tracks/{id}'],
      [
        'an added member',
        () => client.post(`${playlist}/relationships/tracks`, { data: tracks }, as('ada@example.com')),
        'POST /playlists/{id}/relationships/tracks',
      ],
    ] as const) {
      it(`of ${title}: ${expected}`, async () => {
        const statements = await statementsOf(send)
        const routesOf = createRouteFinder(app, database.orm)
        expect(statements.flatMap(({ sql }) => routesOf(sql))).to.include(expected)
      })
    }

    it('of no type: none', () => {
      const routesOf = createRouteFinder(app, database.orm)
      for (const sql of ['select 1', 'insert into "idempotency_keys" values ($1)', 'select * from "pgboss"."job"']) {
        expect(routesOf(sql), sql).to.deep.equal([])
      }
    })
  })

  describeIf(hasServer)('with pg_stat_statements, on a server that has loaded it', () => {
    it('lists statements by total time with their routes', async function () {
      const em = database.orm.em.fork()
      const [loaded] = await em.execute(`select current_setting('shared_preload_libraries') as libraries`)
      if (!loaded?.libraries.includes('pg_stat_statements')) return this.skip()
      await em.execute('create extension if not exists pg_stat_statements')
      await em.execute('select pg_stat_statements_reset()')
      try {
        for (let time = 0; time < 3; time++) await client.get('/albums?sort=title')
        const { findings, skipped } = named(await liveSections(app, database), 'statements')
        expect(skipped).to.equal(undefined)
        const found = findings.find(({ routes }) => (routes as string[]).includes('GET /albums'))
        expect(found?.calls).to.be.at.least(1)
        expect(found?.sql).to.match(/^select .* from "albums" t0 /)
        const totals = findings.map(({ totalMs }) => totalMs as number)
        expect(totals).to.deep.equal(totals.toSorted((a, b) => b - a))
      } finally {
        await em.execute('drop extension pg_stat_statements')
      }
    })
  })
})

function named(sections: readonly Section[], name: string): Section {
  const found = sections.find((section) => section.name === name)
  if (!found) throw new Error(`There is no section ${name}.`)
  return found
}
