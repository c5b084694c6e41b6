import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { developmentTokens } from '#app/plugins.ts'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { blog } from '#test/template/support/existing/blog.ts'
import { corners, unmappable } from '#test/template/support/existing/corners.ts'
import { addedTables, dumpDatabase, rowCounts } from '#test/template/support/existing/dump.ts'
import { observatory, onServers } from '#test/template/support/existing/observatory.ts'
import { odd } from '#test/template/support/existing/odd.ts'
import { shop } from '#test/template/support/existing/shop.ts'
import { workshop } from '#test/template/support/existing/workshop.ts'
import { compile, copyProject, projectParts, run } from '#test/template/support/project-copy.ts'
import { expectSuccess } from '#test/template/support/run-node.ts'

// Generates types from existing databases in a copy of the project without the demo: no file is edited.

/** Tables whose rows are readable at another URL, or not at all, by schema. */
const schemas: Readonly<Record<string, { statements: readonly string[]; withoutType: readonly string[] }>> = {
  blog: { statements: blog, withoutType: ['followers', 'post_labels'] },
  shop: { statements: shop, withoutType: ['bins', 'order_products', 'payments_2024', 'payments_rest'] },
  odd: { statements: odd, withoutType: ['no_key'] },
  workshop: { statements: workshop, withoutType: ['orders_all', 'repair_tools'] },
  corners: {
    statements: [...corners, ...unmappable],
    withoutType: ['nothing', 'odd.name', 'odd"quote', 'spots', 'step_stages', 'ticket_tags'],
  },
  observatory: {
    statements: [...observatory, ...onServers],
    withoutType: ['api_session', 'exposure_2025', 'exposure_2026', 'reading_all', 'star_observer', 'valid_note'],
  },
}

const token = Object.keys(developmentTokens)[0] ?? ''

for (const [name, { statements, withoutType }] of Object.entries(schemas)) {
  describeIf(hasServer)(`npm run make -- resource --from-database (${name}; needs a server)`, function () {
    this.timeout(3_600_000)
    let copy: string
    let database: TestDatabase
    let initial: string
    let report: string
    const script = (path: string, ...args: readonly string[]) =>
      run(copy, [path, ...args], { DATABASE_URL: database.databaseUrl as string })

    before(async () => {
      database = await openTestDatabase({ entities: [], migrations: [] })
      const connection = database.orm.em.getConnection()
      for (const statement of statements) await connection.execute(statement)
      initial = await dumpDatabase(database)
      copy = copyProject(projectParts())
      expectSuccess(await run(copy, ['scripts/init.ts', 'shop']))
      report = expectSuccess(await script('scripts/make-resource.ts', '--from-database')).stdout
    })
    after(async () => {
      await database.close()
      rmSync(copy, { recursive: true })
    })

    it('does not change the database', async () => {
      expect(await dumpDatabase(database)).to.equal(initial)
      expect(report).to.include('The database is unchanged.')
    })

    it('compiles without an edit', async () => {
      expect(await compile(copy)).to.deep.equal([])
    })

    it('refuses to start with one sentence before the baseline is marked', async () => {
      const { code, stderr } = await script('scripts/migrate.ts')
      expect(code).to.equal(1)
      expect(stderr).to.match(
        /^The migration resources\/.+ already exists, .+ npm run migrate -- baseline marks .+\.\n$/,
      )
    })

    it('starts after npm run migrate -- baseline and returns every row, and leaves tables and rows as they were', async () => {
      expectSuccess(await script('scripts/migrate-baseline.ts'))
      const service = await start(copy, database.databaseUrl as string)
      try {
        const types = [...report.matchAll(/^(.+?) {2,}\/(\S+) /gm)].map(([, tables = '', type = '']) => {
          return { table: tables.split(', ')[0] as string, type }
        })
        const counts = await rowCounts(database)
        expect(types.length).to.be.greaterThan(5)
        expect(Object.keys(counts).filter((table) => !types.some((found) => found.table === table))).to.have.members([
          ...withoutType,
          ...addedTables.filter((table) => table in counts),
        ])
        for (const { table, type } of types) expect(await readAll(service.url, type), table).to.equal(counts[table])
      } finally {
        service.child.kill()
        await once(service.child, 'exit')
      }
      expect(await dumpDatabase(database)).to.equal(initial)
    })

    it('passes npm run prove, which leaves the database of DATABASE_URL as it was', async () => {
      const { stdout } = expectSuccess(await script('test/conformance/main.ts'))
      expect(stdout).to.match(/, 0 times it did not, in /)
      expect(await dumpDatabase(database)).to.equal(initial)
    })

    it('has no difference between entities and migrations', async () => {
      const { stdout } = await script('scripts/migrate-create.ts')
      expect(stdout).to.equal('Nothing to do: the migrations match the entities.\n')
    })

    it('passes the generated tests, with an embedded database and on the server', async () => {
      const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
      expectSuccess(await run(copy, [mocha, 'resources/**/*.test.ts']))
      expectSuccess(await script(mocha, 'resources/**/*.test.ts'))
      expect(await dumpDatabase(database)).to.equal(initial)
    })

    it('creates and updates every type whose policy is made writable, with an embedded database and on the server', async () => {
      for (const file of globSync(join(copy, 'resources/*/policy.ts')))
        writeFileSync(file, readFileSync(file, 'utf8').replaceAll('return false', 'return true'))
      const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
      const writes = 'test/writes.test.ts'
      copyFileSync(join(root, 'test/template/support/existing/writes.ts'), join(copy, writes))
      for (const tests of [writes, 'resources/**/*.test.ts']) {
        expectSuccess(await run(copy, [mocha, tests]))
        expectSuccess(await script(mocha, tests))
      }
      const { stdout } = expectSuccess(await script('test/conformance/main.ts'))
      expect(stdout).to.match(/, 0 times it did not, in /)
      expect(await dumpDatabase(database)).to.equal(initial)
    })
  })
}

/** Reads every page and every single resource of it. Returns the number of distinct ids. */
async function readAll(base: string, type: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` }
  const ids = new Set<string>()
  let next: string | null = `${base}/${type}`
  while (next) {
    const response: Response = await fetch(next, { headers })
    expect(response.status, next).to.equal(200)
    const { data, links } = (await response.json()) as { data: { id: string }[]; links: { next?: string | null } }
    for (const { id } of data) {
      ids.add(id)
      const one = `${base}/${type}/${encodeURIComponent(id)}`
      expect((await fetch(one, { headers })).status, one).to.equal(200)
    }
    next = links.next ?? null
  }
  return ids.size
}

async function start(copy: string, databaseUrl: string): Promise<{ child: ChildProcess; url: string }> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    LOG_LEVEL: 'error',
    DISABLED_PLUGINS: 'rate-limit',
  }
  const child = spawn(process.execPath, ['app/main.ts'], { cwd: copy, env })
  let output = ''
  child.stderr.on('data', (text) => {
    output += text
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      output += text
      const found = /Listening on (\S+)\. /.exec(output)?.[1]
      if (found) resolve(found)
    })
    child.on('exit', () => reject(new Error(output)))
  })
  return { child, url }
}
