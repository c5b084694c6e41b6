import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { compile, copyProject, projectParts, run } from '#test/template/support/project-copy.ts'
import { expectSuccess } from '#test/template/support/run-node.ts'

// Removes the demo from a copy of the project: the rest is a starter that passes all checks.

const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
const mocha = join(root, 'node_modules/mocha/bin/mocha.js')

describeIf(!hasServer)('npm run demo:remove', function () {
  this.timeout(900_000)
  let copy: string
  const remove = (...args: readonly string[]) => run(copy, ['scripts/demo-remove.ts', ...args])
  const read = (file: string) => readFileSync(join(copy, file), 'utf8')
  before(() => {
    copy = copyProject(projectParts())
  })
  after(() => rmSync(copy, { recursive: true }))

  it('prints the files that it would remove with --dry-run, and removes nothing', async () => {
    const { stdout } = expectSuccess(await remove('--dry-run'))
    for (const file of ['resources/albums/entity.ts', 'test/support/catalogue.ts', 'scripts/demo-remove.ts']) {
      expect(stdout).to.include(`Would remove ${file}.\n`)
    }
    expect(stdout).not.to.match(/^Would remove (?:app|plugins\/[^.]+\.ts$)/m)
    expect(stdout).to.include('Would generate resources/notes, an example.\n')
    expect(readdirSync(join(copy, 'resources'))).to.include('albums')
  })

  it('exits with 1 and names the file when a resource imports the demo', async () => {
    const folder = join(copy, 'resources/concerts')
    mkdirSync(folder)
    writeFileSync(join(folder, 'entity.ts'), `import { Artist } from '#resources/artists/entity.ts'\n`)
    const { code, stderr } = await remove()
    rmSync(folder, { recursive: true })
    expect(code).to.equal(1)
    expect(stderr).to.include('resources/concerts/entity.ts imports resources/artists/entity.ts')
    expect(readdirSync(join(copy, 'resources'))).to.include('albums')
  })

  describe('the remaining project', () => {
    before(async () => {
      const { stdout } = expectSuccess(await remove())
      expect(stdout).not.to.include('Not edited')
      expect(stdout).to.include('resources/notes is an example, which README.md shows.')
    })

    it('has one small resource, and no reference to the catalogue in its configuration and first pages', () => {
      expect(readdirSync(join(copy, 'resources'))).to.deep.equal(['api.ts', 'notes'])
      for (const file of ['app/main.ts', 'app/plugins.ts', 'package.json', '.ci/run']) {
        expect(read(file), file).not.to.match(/albums|artists|Music|demo/)
      }
      for (const file of ['README.md', 'docs/commands.md', 'docs/getting-started.md']) {
        expect(read(file), file).not.to.match(/demo|music/i)
      }
      expect(read('README.md')).to.include(read('resources/notes/resource.ts'))
    })

    it('has guides that name existing test files only', () => {
      const guides = readdirSync(join(copy, 'docs')).filter((name) => name.endsWith('.md'))
      const named = guides.flatMap((guide) => read(`docs/${guide}`).match(/(?<=`)\S+\.test\.ts(?=`)/g) ?? [])
      expect(named.filter((file) => !/[<*]/.test(file) && !existsSync(join(copy, file)))).to.deep.equal([])
    })

    it('has a valid CI script that runs only existing commands and files', () => {
      const script = read('.ci/run')
      execFileSync('bash', ['-n'], { input: script })
      const { scripts } = JSON.parse(read('package.json'))
      const commands = [...script.matchAll(/^npm run (\S+)/gm)].map(([, name]) => name)
      expect(Object.keys(scripts)).to.include.members(commands)
      const files = script.split(/\s/).filter((word) => word.endsWith('.ts'))
      expect(commands).to.include('types')
      expect(files.filter((file) => !existsSync(join(copy, file)))).to.deep.equal([])
    })

    it('is formatted and compiles', async () => {
      expect(await compile(copy)).to.deep.equal([])
      expectSuccess(await run(copy, [biome, 'check', '.']))
    })

    it('has more than 1,000 passing tests', async () => {
      const { stdout } = expectSuccess(await run(copy, [mocha]))
      expect(Number(/(\d+) passing/.exec(stdout)?.[1])).to.be.above(1000)
    })

    it('passes the checks of its structure', async () => {
      expectSuccess(
        await run(copy, [mocha, 'test/template/structure/boundaries.test.ts', 'test/template/structure/types.test.ts']),
      )
    })

    it('passes npm run prove', async () => {
      const { stdout } = expectSuccess(await run(copy, ['test/prove/main.ts']))
      expect(stdout).to.match(/^notes +\d+ +0$/m)
    })

    it('starts and serves requests', async () => {
      const smoke = 'test/template/process/fixtures/smoke.ts'
      writeFileSync(join(copy, 'smoke.ts'), readFileSync(join(root, smoke)))
      const note = JSON.stringify({ data: { type: 'notes', attributes: { title: 'First' } } })
      const { stdout } = expectSuccess(
        await run(copy, ['smoke.ts', `POST /notes ${note}`, 'GET /notes', 'GET /albums']),
      )
      const responses: { status: number }[] = JSON.parse(stdout)
      expect(responses.map(({ status }) => status)).to.deep.equal([401, 200, 404])
    })

    it('compiles and passes the tests of README.md after the example is deleted as README.md says', async () => {
      expectSuccess(await run(copy, ['scripts/make-resource.ts', 'people', 'name:string!']))
      rmSync(join(copy, 'resources/notes'), { recursive: true })
      writeFileSync(join(copy, 'README.md'), read('README.md').replace(/## One resource\n[\s\S]*?(?=## )/, ''))
      expectSuccess(await run(copy, ['scripts/make-types.ts']))
      expectSuccess(await run(copy, ['scripts/openapi-diff.ts', '--write']))
      expect(await compile(copy)).to.deep.equal([])
      expectSuccess(await run(copy, [mocha, 'test/template/documentation/readme.test.ts']))
    })
  })
})

describeIf(!hasServer)('npm run demo:remove in a project with a resource notes', function () {
  this.timeout(120_000)
  let copy: string
  before(() => {
    copy = copyProject(projectParts())
  })
  after(() => rmSync(copy, { recursive: true }))

  it('keeps the resource instead of the example', async () => {
    expectSuccess(await run(copy, ['scripts/make-resource.ts', 'notes', 'text:string!']))
    const source = readFileSync(join(copy, 'resources/notes/resource.ts'), 'utf8')
    const { stdout } = expectSuccess(await run(copy, ['scripts/demo-remove.ts']))
    expect(stdout).not.to.include('is an example')
    expect(readFileSync(join(copy, 'resources/notes/resource.ts'), 'utf8')).to.equal(source)
    expect(readFileSync(join(copy, 'resources/api.ts'), 'utf8')).to.include(`import('./notes/resource.ts')`)
  })
})
