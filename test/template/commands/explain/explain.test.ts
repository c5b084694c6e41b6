import { expect } from 'chai'
import { pluginVariables, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import { discover } from '#discovery'
import { markDirty, root } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { testDatabase } from '#test/support/database.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { type ExplainOptions, explainRequest } from '../../../../scripts/explain/explain-request.ts'
import { listNodes } from '../../../../scripts/explain/plan.ts'
import { beginRehearsal } from '../../../../scripts/explain/rehearsal.ts'
import { formatExplanation, toJson } from '../../../../scripts/explain/report.ts'
import { readRequestLine } from '../../../../scripts/explain/send-request.ts'
import type { Project } from '../../../../scripts/support/project.ts'

const defaults: ExplainOptions = { principal: null, writes: false, triesIndexes: false, showsValues: false }

describe('npm run explain', () => {
  let project: Project
  before(async () => {
    const config = readConfig({ NODE_ENV: 'test' }, pluginVariables(plugins, {}))
    project = { config, discovery: await discover(root), database: await testDatabase() }
  })

  const explain = (line: string, options: Partial<ExplainOptions> = {}, body?: object, headers = {}) => {
    const request = readRequestLine(line)
    if (!request) throw new Error(`Not a request line: ${line}`)
    const text = body === undefined ? null : JSON.stringify(body)
    return explainRequest(project, { ...request, headers, body: text }, { ...defaults, ...options })
  }
  const execute = (sql: string) => project.database.orm.em.fork().execute(sql)

  for (const path of [
    '/albums?filter[title]=ok&include=artist,tracks&sort=title',
    '/albums/1?include=tracks.playlists',
    '/albums/1/tracks?page[number]=1&page[size]=1',
  ]) {
    it(`explains exactly the statements that the service sends for GET ${path}`, async () => {
      const { client } = await catalogue()
      const sent = (await statementsOf(() => client.get(path))).map(({ sql, parameters }) => ({ sql, parameters }))
      const { answer, statements } = await explain(`GET ${path}`, { showsValues: true })
      expect(answer.status).to.equal(200)
      expect(statements.map(({ sql, parameters }) => ({ sql, parameters }))).to.deep.equal(sent)
      for (const { plan, failure } of statements) {
        expect(failure).to.equal(null)
        expect(plan?.['Execution Time']).to.be.a('number')
        expect(plan?.Plan).to.include.keys('Actual Rows', 'Shared Hit Blocks')
      }
    })
  }

  it('sends the token, or the principal of --as without a token', async () => {
    const { client } = await catalogue()
    const path = '/admin/playlists/00000000-0000-4000-8000-000000000001/owner'
    const anonymous = (await client.get(path)).status
    const principal = { identifier: 'operator', roles: ['admin'] }
    expect(anonymous).to.be.at.least(401)
    expect((await explain(path)).answer.status).to.equal(anonymous)
    expect((await explain(path, {}, undefined, as('admin'))).answer.status).to.equal(200)
    expect((await explain(path, { principal })).answer.status).to.equal(200)
  })

  it('prints the error of the response', async () => {
    const explanation = await explain('/albums?sort=nope')
    expect(explanation.answer.status).to.equal(400)
    expect(formatExplanation(explanation)).to.match(/^GET \/albums\?sort=nope: 400, 0 statements/)
    expect(formatExplanation(explanation)).to.include("Cannot sort resources of type 'albums' by 'nope'.")
  })

  it('prints numbers of parameters instead of values, unless values are requested', async () => {
    const path = '/artists?filter[slug]=sekret-slug'
    const hidden = await explain(path)
    const sql = hidden.statements.map((statement) => JSON.stringify(statement))
    expect(sql.join('\n')).not.to.include('sekret-slug')
    expect(formatExplanation(hidden)).to.match(/^ {3}\d parameters?$/m)
    expect(JSON.stringify(toJson(hidden)).replace(path, '')).not.to.include('sekret-slug')
    const shown = formatExplanation(await explain(path, { showsValues: true }))
    expect(shown).to.match(/^ {3}\d parameters? \[.*"sekret-slug"/m)
  })

  it('has the estimated plan of a statement that fails, and refuses writes in the transaction of a read', async () => {
    const rehearsal = await beginRehearsal(project.database, { writes: false })
    const message = (error: Error) => error.message
    try {
      const failing = rehearsal.query('select 1 / count(*) as ratio from albums where title = $1', ['none'])
      expect(await failing.catch(message)).to.equal('division by zero')
      expect(await rehearsal.query('select 1 as one', [])).to.deep.equal([{ one: 1 }])
      expect(await rehearsal.query('delete from albums', []).catch(message)).to.include('read-only transaction')
      for (const sql of ['begin', 'end', 'start transaction', 'rollback', 'commit']) await rehearsal.query(sql, [])
      expect(await rehearsal.query('delete from albums', []).catch(message)).to.include('read-only transaction')
    } finally {
      await rehearsal.rollBack()
    }
    const [failed, passed] = rehearsal.statements
    expect(failed?.failure).to.equal('division by zero')
    expect(failed?.plan?.Plan).to.include.keys('Plan Rows')
    expect(failed?.plan).not.to.include.keys('Execution Time')
    expect(passed).to.deep.include({ sql: 'select 1 as one', failure: null })
  })

  describeIf(hasServer)('on a server, with another connection', () => {
    it('lists the statements of the other connection', async () => {
      const rehearsal = await beginRehearsal(project.database, { writes: false })
      await rehearsal.query('select 1 as inside', [])
      await execute('select 2 as outside')
      await rehearsal.rollBack()
      expect(rehearsal.otherStatements()).to.deep.equal(['select 2 as outside'])
    })
  })

  it('refuses a method that may write, without running the request', async () => {
    const statements = await statementsOf(async () => {
      const error = await explain('DELETE /albums/1').catch((thrown) => thrown)
      expect(error.message).to.equal('DELETE may write. --writes explains it in a transaction that is rolled back.')
    })
    expect(statements).to.deep.equal([])
  })

  describe('with --writes', () => {
    const principal = { identifier: 'admin', roles: ['admin'] }
    const options = { writes: true, principal }
    const operations = (statements: Awaited<ReturnType<typeof explain>>['statements']) =>
      statements.flatMap(({ plan }) => (plan ? listNodes(plan.Plan).flatMap(({ Operation }) => Operation ?? []) : []))
    const rows = () =>
      execute(`select id, title from albums union all select id, title from tracks
        union all select id, name from artists order by id, title`)

    for (const [line, operation, body] of [
      ['PATCH /albums/1', 'Update', { data: { type: 'albums', id: '1', attributes: { title: 'Rehearsed' } } }],
      ['POST /artists', 'Insert', { data: { type: 'artists', attributes: { name: 'Rehearsed', slug: 'rehearsed' } } }],
      ['DELETE /tracks/1', 'Delete', undefined],
    ] as const) {
      it(`explains the statements of ${line} and rolls them back`, async () => {
        markDirty() // sequences are not rolled back
        const before = await rows()
        const { answer, statements, otherStatements } = await explain(line, options, body)
        expect(answer.error).to.equal('')
        expect(operations(statements)).to.include(operation)
        expect(statements.filter(({ failure }) => failure !== null)).to.deep.equal([])
        expect(otherStatements).to.deep.equal([])
        expect(await rows()).to.deep.equal(before)
      })
    }

    it('explains what the service sends for the same write', async () => {
      const { client } = await catalogue()
      const body = { data: { type: 'albums', id: '1', attributes: { title: 'Both' } } }
      const { statements } = await explain('PATCH /albums/1', { ...options, showsValues: true }, body)
      const sent = await statementsOf(() => client.patch('/albums/1', body, as('admin')))
      expect(statements.map(({ sql }) => sql)).to.deep.equal(sent.map(({ sql }) => sql))
    })

    it('enqueues no job for an asynchronous write', async () => {
      const body = { data: { type: 'catalog-exports', attributes: { format: 'csv' } } }
      const exports = await execute('select count(*)::int as count from catalog_exports')
      const explanation = await explain('POST /catalog-exports', options, body)
      expect(explanation.answer.status).to.equal(500)
      expect(formatExplanation(explanation)).to.include("Logged: No worker is registered for the job 'export-catalog'.")
      expect(await execute('select count(*)::int as count from catalog_exports')).to.deep.equal(exports)
    })
  })

  describe('when an index is missing', () => {
    before(async () => {
      await execute('drop index artists_slug_index')
      await execute(
        "insert into artists (name, slug, created_at) select 'Artist ' || n, 'slug-' || n, now() from generate_series(1, 4000) n",
      )
      await execute('analyze artists')
    })
    after(async () => {
      await execute('create index "artists_slug_index" on "artists" using hash ("slug")')
      await execute("delete from artists where slug like 'slug-%'")
      await execute('analyze artists')
      markDirty()
    })
    const path = '/artists?filter[slug]=slug-17'
    const indexes = () => execute("select indexname from pg_indexes where tablename = 'artists' order by 1")

    it('proposes the index, explains the statement with it, and rolls it back', async () => {
      const before = await indexes()
      const explanation = await explain(path, { triesIndexes: true })
      const [trial] = explanation.statements.flatMap(({ trials }) => trials)
      expect(trial?.candidate).to.deep.include({
        create: 'create index "artists_slug_id_index" on "artists" ("slug", "id")',
        exists: false,
      })
      expect(trial?.candidate.rows).to.be.at.least(4000)
      expect(trial).to.deep.include({ isUsed: true, failure: null })
      expect(formatExplanation(explanation)).to.match(
        /Index: cost [\d.]+ → [\d.]+, [\d.]+ ms → [\d.]+ ms\. The sequential scan read \d+ rows\.\n +create index "artists_slug_id_index"/,
      )
      expect(await indexes()).to.deep.equal(before)
    })

    it('proposes the index without creating it, unless it is told to', async () => {
      const sent = await statementsOf(async () => {
        const explanation = await explain(path)
        expect(formatExplanation(explanation)).to.include('Index that may help; --try-indexes')
        const [statement] = (toJson(explanation) as { statements: { indexes: object[] }[] }).statements
        expect(statement?.indexes[0]).to.include({ isTried: false, isUsed: false, exists: false, costAfter: null })
      })
      expect(sent.filter(({ sql }) => sql.startsWith('create index'))).to.deep.equal([])
    })
  })
})
