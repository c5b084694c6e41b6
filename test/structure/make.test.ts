import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { compile, copyProject, type ProcessResult, run } from '#test/support/project-copy.ts'

// What the generators write, in a copy: it is formatted, compiles and passes its tests without edits.

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

describe('npm run make', function () {
  this.timeout(300_000)
  let copy: string
  const make = (what: string, ...args: readonly string[]) => run(copy, [`scripts/make-${what}.ts`, ...args])
  const read = (file: string) => readFileSync(join(copy, file), 'utf8')
  before(() => {
    const parts = readdirSync(root).filter((part) => !/^(?:node_modules|\.git|\.data|\.make-.*)$/.test(part))
    copy = copyProject(parts)
  })
  after(() => rmSync(copy, { recursive: true }))

  describe('resource', () => {
    before(async () => {
      expectDone(await make('resource', 'people', 'name:string!'))
      expectDone(await make('resource', 'tags', 'name:string!'))
    })

    it('shows what it would write with --dry-run, and writes nothing', async () => {
      const { stdout } = expectDone(await make('resource', ...article, '--dry-run'))
      for (const file of ['entity', 'resource', 'policy', 'factory', 'articles.test']) {
        expect(stdout).to.include(`--- resources/articles/${file}.ts\n`)
      }
      expect(stdout).to.match(/^--- resources\/articles\/migrations\/\d{14}_articles\.ts$/m)
      expect(stdout).to.include(`articles: () => p.oneToMany(Article).mappedBy('author'),`)
      expect(existsSync(join(copy, 'resources/articles'))).to.equal(false)
      expect(readdirSync(copy).filter((file) => file.startsWith('.make-'))).to.deep.equal([])
    })

    it('leads back from the types it leads to, with --inverse', async () => {
      const { stdout } = expectDone(await make('resource', ...article, '--inverse'))
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

  describe('plugin', () => {
    it('writes a folder, a line of the list and a row of the README', async () => {
      expectDone(await make('plugin', 'audit-log'))
      expect(read('app/plugins.ts')).to.include('  auditLog(),\n')
      expect(read('README.md')).to.include('| `audit-log` |')
    })

    it('refuses names that are none, or taken', async () => {
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

  describe('and the rest', () => {
    it('is nothing to do by hand: all is formatted, compiles and passes', async () => {
      const tests = ['people', 'tags', 'articles'].map((type) => `resources/${type}/${type}.test.ts`)
      const [errors, checked, tested] = [
        await compile(copy),
        await run(copy, [biome, 'check', 'resources', 'plugins/audit-log', 'app/plugins.ts']),
        await run(copy, [mocha, ...tests, 'plugins/audit-log/audit-log.test.ts', 'test/boundaries.test.ts']),
      ]
      expect(errors).to.deep.equal([])
      expect(checked.code, checked.stderr).to.equal(undefined)
      expect(tested.code, tested.stdout).to.equal(undefined)
    })
  })
})

function expectDone(ended: ProcessResult): ProcessResult {
  expect(ended.code, ended.stderr).to.equal(undefined)
  return ended
}
