import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { compile, run } from '#test/template/support/project-copy.ts'
import { expectSuccess, type ProcessResult } from '#test/template/support/run-node.ts'
import { type Repository, repositoryIn, update } from '#test/template/support/template-repository.ts'

// Updates a project that was made from an older commit of this repository, and edited, to the current commit.

/** Before custom actions, conditional requests and idempotency keys; without a manifest. */
const olderCommit = '70d0319'

const mocha = join(root, 'node_modules/mocha/bin/mocha.js')

const isAvailable = () => {
  try {
    execFileSync('git', ['cat-file', '-e', `${olderCommit}^{commit}`], { cwd: root, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describeIf(!hasServer && isAvailable())(`npm run update of a project made from ${olderCommit}`, function () {
  this.timeout(900_000)
  let project: Repository
  let owned: ReadonlyMap<string, string>
  let result: ProcessResult
  const updateProject = (...args: readonly string[]) =>
    update(project, '--from', root, '--to', 'HEAD', '--base', olderCommit, '--merge-only', ...args)

  before(async () => {
    project = createProject()
    expectSuccess(await run(project.folder, ['scripts/demo-remove.ts']))
    editProject(project)
    project.commit('changes of the owner')
    owned = readOwned(project)
    result = await updateProject()
  })
  after(() => rmSync(project.folder, { recursive: true }))

  it('leaves resources, configuration and the own plugin byte-equal', () => {
    expect([...owned.keys()]).to.include.members([
      'app/config.ts',
      'app/plugins.ts',
      'plugins/edition/index.ts',
      'resources/notes/resource.ts',
    ])
    for (const [file, content] of owned) expect(project.read(file), file).to.equal(content)
  })

  it('merges an edited plugin, and lists the conflict of another', () => {
    expect(project.read('plugins/health/index.ts')).to.include('// edited by the owner')
    expect(project.read('plugins/health/index.ts')).not.to.include('<<<<<<<')
    expect(project.read('plugins/http-headers/index.ts')).to.include('<<<<<<< yours\n')
    const [, conflicts] = /\nConflicts:\n((?: {2}.*\n)*)/.exec(result.stdout) ?? []
    const [plugin, ...others] = (conflicts ?? '').trimEnd().split('\n').toReversed()
    expect(plugin).to.equal('  plugins/http-headers/index.ts: 1 conflict')
    // The owner, or the removal of the demo, has edited passages of pages that the template has rewritten since.
    for (const page of others) expect(page).to.match(/^ {2}docs\/(?:features|getting-started)\.md: \d conflicts?$/)
    expect(result.code).to.equal(1)
  })

  it('keeps the removed plugin and the demo removed', () => {
    for (const file of ['plugins/metrics', 'resources/albums', 'test/support/catalogue.ts', 'scripts/demo']) {
      expect(project.git('ls-files', '--others', '--cached', '--', file), file).to.equal('')
    }
  })

  it('restores the project with --abort', async () => {
    expectSuccess(await update(project, '--abort'))
    expect(project.git('status', '--porcelain')).to.equal('')
  })

  describe('with --owner-files and resolved conflicts', () => {
    before(async () => {
      await updateProject('--owner-files')
      resolveConflicts(project)
      expectSuccess(await run(project.folder, ['scripts/make-types.ts']))
    })

    it('keeps the edits of the owner in merged files', () => {
      expect(project.read('app/config.ts')).to.include('company').and.to.include('RESOURCE_PATHS')
      expect(project.read('app/plugins.ts')).to.include('edition()').and.to.include('conditionalRequests()')
      expect(project.read('app/plugins.ts')).not.to.include('metrics')
      for (const file of owned.keys()) {
        if (/^(?:plugins|resources)\//.test(file)) expect(project.read(file), file).to.equal(owned.get(file))
      }
    })

    it('compiles', async () => {
      expect(await compile(project.folder)).to.deep.equal([])
    })

    it('starts and serves requests', async () => {
      writeFileSync(
        join(project.folder, 'smoke.ts'),
        readFileSync(join(root, 'test/template/process/fixtures/smoke.ts')),
      )
      const { stdout } = expectSuccess(
        await run(project.folder, ['smoke.ts', 'GET /notes', 'GET /albums', 'GET /ready']),
      )
      rmSync(join(project.folder, 'smoke.ts'))
      const responses: { status: number }[] = JSON.parse(stdout)
      expect(responses.map(({ status }) => status)).to.deep.equal([200, 404, 200])
    })

    it('passes its tests', async () => {
      const { stdout } = expectSuccess(await run(project.folder, [mocha]))
      expect(Number(/(\d+) passing/.exec(stdout)?.[1])).to.be.above(1000)
    })
  })
})

function createProject(): Repository {
  const project = repositoryIn(mkdtempSync(join(tmpdir(), 'project-')))
  const archive = join(project.folder, 'older.tar')
  execFileSync('git', ['archive', '--output', archive, olderCommit], { cwd: root })
  execFileSync('tar', ['-xf', archive, '-C', project.folder])
  rmSync(archive)
  symlinkSync(join(root, 'node_modules'), join(project.folder, 'node_modules'))
  project.git('init', '--quiet')
  project.commit('the template')
  return project
}

const ownPlugin = `import type { Plugin } from '#kernel/plugin'

/** Sets a header of every response. */
export function edition(): Plugin {
  return {
    name: 'edition',
    middleware: () => (ctx, next) => {
      ctx.set('X-Edition', 'second')
      return next()
    },
  }
}
`

function editProject(project: Repository): void {
  const edit = (file: string, from: string | RegExp, to: string) => {
    const source = project.read(file) as string
    const edited = source.replace(from, to)
    expect(edited, file).not.to.equal(source)
    project.write({ [file]: edited })
  }
  project.write({ 'plugins/metrics': null, 'plugins/edition/index.ts': ownPlugin })
  edit('app/plugins.ts', /import \{ metrics \}.*\n/, `import { edition } from '#plugins/edition/index.ts'\n`)
  edit('app/plugins.ts', '  metrics(),\n', '')
  edit('app/plugins.ts', /\n\]/, '\n  edition(),\n]')
  edit('docs/features.md', /^\| `metrics` .*\n/m, '')
  edit('docs/features.md', /(?<=^\| `openapi` .*\n)/m, '| `edition` | a header of every response |\n')
  edit('app/config.ts', /$/, `\nexport const company = 'Example'\n`)
  for (const file of ['resources/notes/resource.ts', 'README.md']) edit(file, '.maxLength(255)', '.maxLength(100)')
  edit('plugins/health/index.ts', /^/, '// edited by the owner\n')
  edit('plugins/http-headers/index.ts', 'response.status !== 200', 'response.status > 200')
}

function readOwned(project: Repository): ReadonlyMap<string, string> {
  const files = project.git('ls-files', 'app/*.ts', 'resources', 'plugins/edition').split('\n')
  const isOwned = (file: string) => !/^app\/[^/]+\//.test(file)
  return new Map(files.filter(isOwned).map((file) => [file, project.read(file) as string]))
}

/** Takes the version of the template in every conflict, and keeps the choice of plugins. */
function resolveConflicts(project: Repository): void {
  const conflict = /^<<<<<<< yours\n[\s\S]*?^=======\n([\s\S]*?)^>>>>>>> template .*\n/gm
  const files = project.git('grep', '--name-only', '--untracked', '^<<<<<<< yours').split('\n')
  for (const file of files.filter((name) => name !== 'test/template/proofs/marathon/update.test.ts')) {
    project.write({ [file]: (project.read(file) as string).replace(conflict, '$1') })
  }
  const withoutMetrics = (file: string) =>
    (project.read(file) as string).replace(/^.*\bmetrics(?:`|\b.*#|\(\)).*\n/gm, '')
  const plugins = withoutMetrics('app/plugins.ts').replace(/^.*\bedition\b.*\n/gm, '')
  project.write({
    'app/plugins.ts': `import { edition } from '#plugins/edition/index.ts'\n${plugins.replace(/\n\]/, '\n  edition(),\n]')}`,
    'docs/features.md': withoutMetrics('docs/features.md')
      .replace(/^\| `edition` .*\n/gm, '')
      .replace(/(?<=^\| `client-types` .*\n)/m, '| `edition` | a header of every response |\n'),
  })
}
