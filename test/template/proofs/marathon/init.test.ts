import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { copyProject, projectParts, run } from '#test/template/support/project-copy.ts'
import { expectSuccess } from '#test/template/support/run-node.ts'
import { type Repository, repositoryIn, temporaryFolder, update } from '#test/template/support/template-repository.ts'

// A project of its own, as a new user makes it: init, a resource, a plugin, tests, checks, an update.

const mocha = join(root, 'node_modules/mocha/bin/mocha.js')

describeIf(!hasServer)('A project that npm run init makes', function () {
  this.timeout(900_000)
  let template: Repository
  let project: Repository
  const script = (name: string, ...args: readonly string[]) => run(project.folder, [`scripts/${name}.ts`, ...args])

  before(async () => {
    template = repositoryIn(copyProject(projectParts()))
    rmSync(join(template.folder, 'node_modules'))
    template.git('init', '--quiet', '--initial-branch=main')
    template.commit('first version')
    project = repositoryIn(temporaryFolder())
    project.git('clone', '--quiet', template.folder, '.')
    execFileSync('ln', ['-s', join(root, 'node_modules'), join(project.folder, 'node_modules')])
    writeFileSync(join(project.folder, '.git/info/exclude'), 'node_modules\n')
  })
  after(() => {
    for (const { folder } of [template, project]) rmSync(folder, { recursive: true })
  })

  it('is refused while there are uncommitted changes', async () => {
    project.write({ 'README.md': 'mine\n' })
    const { code, stderr } = await script('init', 'my-shop')
    expect([code, stderr]).to.deep.equal([1, 'Commit these changes first. Undo is git checkout .\n M README.md\n'])
    project.git('checkout', '--', '.')
  })

  it('passes its checks at once, and its tests with a resource and a plugin', async () => {
    const { stdout } = expectSuccess(await script('init', 'my-shop'))
    expect(stdout)
      .to.match(/My Shop: \d+ files have become \d+\. Checking them\./)
      .and.to.include('make -- resource people')
      .and.to.match(/Optional plugins that were left out: change-log, .+, webhooks\./)
    project.commit('begin the project')
    expectSuccess(await script('make-resource', 'notes', 'title:string!:sort', 'body:text?'))
    expectSuccess(await script('make-plugin', 'audit-log'))
    expectSuccess(await script('openapi-diff', '--write'))
    expectSuccess(await script('check'))
    const tests = expectSuccess(await run(project.folder, [mocha])).stdout
    expect(tests)
      .to.match(/^ {2}notes$/m)
      .and.to.match(/^ {2}audit-log$/m)
    expectSuccess(await run(project.folder, ['test/conformance/main.ts']))
    project.commit('a resource and a plugin')
  })

  it('may have shared code of resources, and is told what to do about an import that is not allowed', async () => {
    const runRules = () => run(project.folder, [mocha, 'test/imports.test.ts'])
    project.write({
      'resources/shared/is-agent.ts': 'export const isAgent = () => true\n',
      'resources/notes/agent.ts': `export { isAgent } from '../shared/is-agent.ts'\n`,
    })
    expectSuccess(await runRules())
    expectSuccess(await script('routes'))
    project.write({ 'resources/notes/agent.ts': `export * from '#store/sql/statement-builder.ts'\n` })
    const { code, stdout } = await runRules()
    expect(code).to.equal(1)
    expect(stdout).to.include(
      "resources/notes/agent.ts imports app/store/sql/statement-builder.ts. Import '#kernel', an index.ts of plugins/ or app/, or move shared code to resources/shared/.",
    )
    project.git('stash', '--quiet', '--include-untracked')
    project.git('stash', 'drop', '--quiet')
  })

  it('gets the changes of a newer version, and nothing of what was removed', async () => {
    const edit = (file: string, from: string | RegExp, to: string) =>
      template.write({ [file]: (template.read(file) as string).replace(from, to) })
    edit('plugins/health/index.ts', /^/, '// newer\n')
    edit('docs/testing.md', /^# .*\n/, '# Testing a project\n')
    edit('test/template/commands/init.test.ts', /^/, '// newer\n')
    template.write({
      'docs/decisions/9999-new.md': '# New\n',
      'test/template/new.test.ts': '',
      'app/kernel/lib/new.ts': 'export {}\n',
    })
    const commit = template.commit('second version')
    const { stdout } = expectSuccess(await update(project, '--from', template.folder, '--merge-only'))
    expect(stdout).not.to.include('Conflicts')
    expect(project.read('plugins/health/index.ts')).to.match(/^\/\/ newer\n/)
    expect(project.read('docs/testing.md')).to.match(/^# Testing a project\n/)
    expect(project.read('app/kernel/lib/new.ts')).to.equal('export {}\n')
    expect(
      project
        .git('status', '--porcelain')
        .split('\n')
        .map((line) => line.trim().split(' ').at(-1)),
    ).to.have.members([
      '.template/manifest.json',
      'app/kernel/lib/new.ts',
      'docs/testing.md',
      'plugins/health/index.ts',
    ])
    expect(JSON.parse(readFileSync(join(project.folder, '.template/manifest.json'), 'utf8'))).to.include({ commit })
    expectSuccess(await script('check'))
  })
  it('gets a plugin that was left out, with the plugins that it requires, and is told the lines of the list', async () => {
    project.commit('second version')
    const { stdout } = expectSuccess(
      await update(project, '--from', template.folder, '--plugins', 'live', '--merge-only'),
    )
    expect(stdout)
      .to.include(
        "  plugins/change-log\n    import { changeLog } from '#plugins/change-log/index.ts'\n    changeLog(),\n",
      )
      .and.to.include("  plugins/live\n    import { live } from '#plugins/live/index.ts'\n    live(),\n")
      .and.not.to.include('Conflicts')
    expect(project.read('docs/live.md')).to.match(/^# Live collections/)
    expect(project.read('docs/features.md')).to.include('- `live`: ').and.not.to.include('- `webhooks`')
    expect(project.read('plugins/webhooks/index.ts')).to.equal(null)
    project.write({
      'app/plugins.ts': (project.read('app/plugins.ts') as string)
        .replace('import { cors }', "import { changeLog } from '#plugins/change-log/index.ts'\nimport { cors }")
        .replace('import { metrics }', "import { live } from '#plugins/live/index.ts'\nimport { metrics }")
        .replace('  softDelete(),\n', '  softDelete(),\n  changeLog(),\n  live(),\n'),
    })
    expectSuccess(await run(project.folder, ['node_modules/@biomejs/biome/bin/biome', 'check', '--write', 'app']))
    expectSuccess(await script('docs-errors'))
    expectSuccess(await script('docs-configuration'))
    expectSuccess(await script('openapi-diff', '--write'))
    expectSuccess(await script('check'))
    project.commit('live collections')
    const { stdout: again } = expectSuccess(await update(project, '--from', template.folder, '--merge-only'))
    expect(again).to.match(/^Nothing to update/)
  })
})
