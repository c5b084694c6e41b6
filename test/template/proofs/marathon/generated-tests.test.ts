import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { blog } from '#test/template/support/existing/blog.ts'
import { compile, copyProject, projectParts, run } from '#test/template/support/project-copy.ts'
import { expectSuccess } from '#test/template/support/run-node.ts'
import { kinds } from '../../../../scripts/make/kinds.ts'

// Generates types from a database, and types with every kind of field and relation, in a copy of the project without the demo.

const fieldsOfKinds = Object.entries(kinds).flatMap(([kind, { default: byDatabase }]) => [
  `required${kind}:${kind}!`,
  `nullable${kind}:${kind}?`,
  ...(byDatabase ? [`default${kind}:${kind}`] : []),
])

/** The arguments of `npm run make -- resource`; a later type may refer to an earlier one. */
const resources: readonly (readonly string[])[] = [
  ['badges', 'name:string!', '--public'],
  ['members', 'email:email!:unique:filter', 'city:string(40)?:sort', '--id', 'uuid', '--soft-deletes'],
  ['samples', ...fieldsOfKinds, 'level:enum=low,*high', 'price:decimal(12,4):sort', 'code:slug(20)?:unique'],
  ['teams', 'name:string!', 'captain:one=members!', 'substitute:one=members', 'badges:many=badges', '--inverse'],
  ['notes', 'text:text', 'post:one=posts!', 'parent:one=notes', 'labels:many=labels', '--soft-deletes', '--public'],
]

describeIf(hasServer)('The tests that npm run make -- resource generates (needs a server)', function () {
  this.timeout(900_000)
  let copy: string
  let database: TestDatabase
  let policies: ReadonlyMap<string, string>
  const onServer = () => ({ DATABASE_URL: database.databaseUrl as string })
  const runTests = async (variables: Readonly<Record<string, string>> = {}) => {
    const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
    const { stdout } = expectSuccess(await run(copy, [mocha, 'resources/**/*.test.ts'], variables))
    for (const file of policies.keys()) expect(stdout).to.include(`\n  ${file.split('/')[1]}\n`)
    expect(stdout).not.to.include('pending')
  }

  before(async () => {
    database = await openTestDatabase({ entities: [], migrations: [] })
    for (const statement of blog) await database.orm.em.getConnection().execute(statement)
    copy = copyProject(projectParts())
    expectSuccess(await run(copy, ['scripts/init.ts', 'club']))
    expectSuccess(await run(copy, ['scripts/make-resource.ts', '--from-database'], onServer()))
    for (const args of resources) expectSuccess(await run(copy, ['scripts/make-resource.ts', ...args]))
    const files = globSync('resources/*/policy.ts', { cwd: copy })
    policies = new Map(files.map((file) => [file, readFileSync(join(copy, file), 'utf8')]))
  })
  after(async () => {
    await database.close()
    rmSync(copy, { recursive: true })
  })

  it('are those of every type, and compile', async () => {
    const generated = [...policies.keys()].map((file) => file.split('/')[1])
    expect(generated).to.include.members(['authors', 'posts', 'published-posts', ...resources.map(([type]) => type)])
    expect(await compile(copy)).to.deep.equal([])
  })

  it('pass with an embedded database', () => runTests())

  it('pass on a server', () => runTests(onServer()))

  describe('after the policies require a role for reads, show no row and deny writes', () => {
    before(() => {
      for (const [file, source] of policies) writeFileSync(join(copy, file), toStricter(source))
    })

    it('compile', async () => {
      expect(await compile(copy)).to.deep.equal([])
    })

    it('pass with an embedded database', () => runTests())

    it('pass on a server', () => runTests(onServer()))
  })
})

/** The policy with methods that return false, but for those that allow reads to a role, and with a scope without rows. */
function toStricter(source: string): string {
  const method = (head: string, body: string) => `${head} {\n    return ${body}\n  }`
  const strict = source.replaceAll(/^ {2}(?:override )?(\w+)\(.*\) \{\n.*\n {2}\}$/gm, (_, ability: string) =>
    ability === 'viewAny' || ability === 'view'
      ? method(`  override ${ability}(principal: Principal | null)`, `principal?.roles.includes('auditor') ?? false`)
      : method(`  ${overridden.has(ability) ? 'override ' : ''}${ability}()`, 'false'),
  )
  return strict.replace(/\n}\n$/, `\n\n${method('  override scope()', 'false')}\n}\n`)
}

/** The methods that the class of policies has. */
const overridden = new Set(['create', 'update', 'delete'])
