import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { compile, copyProject, type ProcessResult, run } from '#test/support/project-copy.ts'

// Runs the generators in a copy of the project: the generated files are formatted, compile and pass their tests.

const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
const article = [
  'articles',
  'title:string!',
  'body:text',
  'status:enum=draft,published',
  'publishedAt:dateTime?',
  'author:one=people',
  'tags:many=tags',
]

describe('Generators', function () {
  this.timeout(300_000)
  let copy: string
  const make = (kind: 'resource' | 'plugin' | 'action', ...args: readonly string[]) =>
    run(copy, [`scripts/make-${kind}.ts`, ...args])
  const read = (file: string) => readFileSync(join(copy, file), 'utf8')
  before(() => {
    const parts = readdirSync(root).filter((part) => !/^(?:node_modules|\.git|\.data|\.make-.*)$/.test(part))
    copy = copyProject(parts)
  })
  after(() => rmSync(copy, { recursive: true }))

  describe('npm run make:resource', () => {
    before(async () => {
      const words = ['email:email!:unique:filter', 'city:string(40)?:sort', 'level:enum=low,*high']
      expectSuccess(await make('resource', 'people', 'name:string!', ...words, '--id', 'uuid'))
      expectSuccess(await make('resource', 'tags', 'name:string!'))
    })

    it('prints the files and writes nothing with --dry-run', async () => {
      const { stdout } = expectSuccess(await make('resource', ...article, '--dry-run'))
      for (const file of ['entity', 'resource', 'policy', 'factory', 'articles.test']) {
        expect(stdout).to.include(`--- resources/articles/${file}.ts\n`)
      }
      expect(stdout).to.match(/^--- resources\/articles\/migrations\/\d{14}_articles\.ts$/m)
      expect(stdout).to.include(`articles: () => p.oneToMany(Article).mappedBy('author'),`)
      expect(existsSync(join(copy, 'resources/articles'))).to.equal(false)
      expect(readdirSync(copy).filter((file) => file.startsWith('.make-'))).to.deep.equal([])
    })

    it('adds the inverse relation to the related types with --inverse', async () => {
      const { stdout } = expectSuccess(await make('resource', ...article, '--inverse'))
      expect(stdout).to.include('Added articles to resources/tags/entity.ts and resources/tags/resource.ts.')
      expect(read('resources/people/resource.ts')).to.include(`hasMany('articles', 'articles')`)
      expect(read('resources/tags/resource.ts')).to.include(`belongsToMany('articles', 'articles')`)
    })

    it('exits with 1 when the folder exists or the path belongs to another type', async () => {
      const [again, taken] = await Promise.all([make('resource', ...article), make('resource', 'docs', 'title:text')])
      expect(again).to.include({ code: 1, stderr: 'resources/articles already exists.\n' })
      expect(taken.stderr).to.include(`the path /docs already belongs to the plugin 'openapi'`)
      expect(existsSync(join(copy, 'resources/docs'))).to.equal(false)
    })
  })

  describe('npm run make:plugin', () => {
    it('adds a folder, a line at the end of app/plugins.ts and a row at the end of docs/features.md', async () => {
      expectSuccess(await make('plugin', 'audit-log'))
      expect(read('app/plugins.ts')).to.include('  auditLog(),\n]')
      expect(read('docs/features.md')).to.match(/^\| `openapi` .*\n\| `audit-log` .*\n$/m)
    })

    it('exits with 1 when the name is invalid, reserved or in use', async () => {
      for (const [name, sentence] of [
        ['Audit', 'is not a name for a plugin'],
        ['delete', 'the word is reserved in JavaScript'],
        ['sorting', 'plugins/sorting already exists'],
        ['search', `app/plugins.ts already has 'search'`],
      ] as const) {
        const { code, stderr } = await make('plugin', name)
        expect(code, name).to.equal(1)
        expect(stderr, name).to.include(sentence)
      }
    })
  })

  describe('npm run make:action', () => {
    it('adds a file to the folder of the resource, and a method to its policy', async () => {
      expectSuccess(await make('action', 'articles', 'publish'))
      expectSuccess(await make('action', 'articles', 'count', '--collection'))
      expect(read('resources/articles/actions/publish.ts')).to.include('export default defineAction(Article, {')
      expect(read('resources/articles/policy.ts')).to.include('  publish(principal: Principal | null) {')
      const { stdout } = expectSuccess(await make('action', 'articles', 'archive', '--dry-run'))
      expect(stdout).to.include('--- resources/articles/actions/archive.ts\n')
      expect(existsSync(join(copy, 'resources/articles/actions/archive.ts'))).to.equal(false)
    })

    it('exits with 1 when the resource does not exist, or the name is invalid or in use', async () => {
      for (const [type, name, sentence] of [
        ['nothing', 'publish', 'resources/nothing/entity.ts does not exist'],
        ['articles', 'pub/lish', 'is not a name for an action'],
        ['articles', 'publish', 'resources/articles/actions/publish.ts already exists'],
      ] as const) {
        const { code, stderr } = await make('action', type, name)
        expect(code, sentence).to.equal(1)
        expect(stderr).to.include(sentence)
      }
    })
  })

  describe('The generated files', () => {
    it('are formatted, compile and pass their tests when nothing is edited', async () => {
      const tests = ['people', 'tags', 'articles'].map((type) => `resources/${type}/${type}.test.ts`)
      const [errors, checked, tested] = [
        await compile(copy),
        await run(copy, [biome, 'check', 'resources', 'plugins/audit-log', 'app/plugins.ts']),
        await run(copy, [
          mocha,
          ...tests,
          'plugins/audit-log/audit-log.test.ts',
          'test/boundaries.test.ts',
          'test/readme.test.ts',
        ]),
      ]
      expect(errors).to.deep.equal([])
      expect(checked.code, checked.stderr).to.equal(undefined)
      expect(tested.code, tested.stdout).to.equal(undefined)
    })
  })
})

function expectSuccess(result: ProcessResult): ProcessResult {
  expect(result.code, result.stderr).to.equal(undefined)
  return result
}
