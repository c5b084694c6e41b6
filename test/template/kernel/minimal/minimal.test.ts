import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { expectSuccess, runNode } from '#test/template/support/run-node.ts'

type Answer = readonly [status: number, data: { readonly attributes?: object }]

describe('An application without plugins', () => {
  let answers: readonly Answer[]
  let loaded: readonly string[]
  let usesServer: boolean
  let packages: ReadonlySet<string>

  before(async () => {
    const { databaseUrl, close } = await openTestDatabase({ entities: [], migrations: [] })
    try {
      usesServer = databaseUrl !== null
      const env = databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }
      const { stdout } = expectSuccess(await runNode(['test/template/kernel/minimal/application.ts'], { env }))
      const output = JSON.parse(stdout)
      answers = output.answers
      packages = new Set(
        (output.loaded as string[]).flatMap((url) => url.split('/node_modules/')[1]?.split('/')[0] ?? []),
      )
      const own = (output.loaded as string[]).filter((url) => !url.includes('/node_modules/'))
      loaded = own.flatMap((url) => (url.startsWith(`file://${root}/`) ? [url.slice(`file://${root}/`.length)] : []))
    } finally {
      await close()
    }
  })

  it('creates, reads, updates and deletes resources and relationships', () => {
    expect(answers.map(([status]) => status)).to.deep.equal([
      201, 201, 200, 200, 200, 200, 200, 200, 200, 200, 204, 200, 400,
    ])
    const book = { type: 'books', id: '1' }
    const [, created, , read, related, linked, unlinked, none, added, shelf, , empty] = answers.map(([, data]) => data)
    expect(created).to.deep.include({ attributes: { title: 'Emma' } })
    expect(read).to.deep.include({ ...book, attributes: { title: 'Persuasion' } })
    expect(related).to.have.length(1)
    expect([linked, unlinked, none, added]).to.deep.equal([[book], null, [], [book]])
    expect(shelf).to.deep.include({ attributes: { name: 'Prose' } })
    expect(empty).to.deep.equal([])
  })

  it('rejects a query parameter that a plugin would read', () => {
    expect(answers.at(-1)).to.deep.equal([400, ['QUERY_PARAM_UNRECOGNIZED']])
  })

  it('loads the kernel, the store, the HTTP server and the configuration, and no plugin', () => {
    const folders = new Set(loaded.map((file) => file.split('/').slice(0, 2).join('/')))
    expect([...folders]).to.include.members(['app/kernel', 'app/store', 'app/http'])
    expect(
      loaded.filter((file) => /^(plugins|resources|app\/(plugins|servers|openapi|api-types))\b/.test(file)),
    ).to.deep.equal([])
  })

  it('loads the parts of the store that it uses: no replicas, no pg-boss, and one kind of database', () => {
    const parts = loaded.filter((file) => /^app\/(embedded|replicas)\//.test(file))
    expect(parts.some((file) => file.startsWith('app/embedded/'))).to.equal(!usesServer)
    expect(parts.filter((file) => file.startsWith('app/replicas/'))).to.deep.equal([])
    expect(packages.has('@electric-sql')).to.equal(!usesServer)
    expect(packages.has('pg-boss')).to.equal(false)
  })
})

describe('npm run template -- kernel', () => {
  it('prints the modules of the kernel and the sum of its lines', async () => {
    const { stdout } = expectSuccess(await runNode(['scripts/template/kernel-modules.ts', '--files']))
    expect(stdout).to.match(/^app\/kernel\/request\/pipeline\.ts +\d+$/m)
    const [, files, lines] = /^app\/kernel +(\d{2,}) +(\d{4,})$/m.exec(stdout) ?? []
    expect(stdout.match(/^app\/kernel\/\S+\.ts /gm)).to.have.length(Number(files))
    expect(Number(lines)).to.be.greaterThan(Number(files))
  })
})
