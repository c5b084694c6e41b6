import { expect } from 'chai'
import type { ProcessResult } from '#test/template/support/run-node.ts'
import {
  cloneRepository,
  type Repository,
  removeTemporaryFolders,
  update,
} from '#test/template/support/template-repository.ts'
import { createTemplate, lines, ownerChanges } from './synthetic-template.ts'

// Merges version 0.2.0 of a small template into a project that was cloned at 0.1.0 and edited.

describe('npm run update', () => {
  let template: Repository
  let project: Repository
  let result: ProcessResult
  before(async () => {
    template = createTemplate()
    project = cloneProject()
    result = await update(project, '--from', template.folder, '--merge-only')
  })
  after(removeTemporaryFolders)

  const cloneProject = () => {
    const clone = cloneRepository(template, 'v0.1.0')
    clone.write(ownerChanges)
    clone.commit('changes of the owner')
    return clone
  }

  it('replaces a file that was not edited', () => {
    expect(project.read('app/kernel/untouched.ts')).to.equal('// two\n')
  })

  it('merges a file that was edited in other lines', () => {
    const merged = lines({ 1: '// changed by the owner', 12: '// changed by the template' })
    expect(project.read('app/kernel/edited.ts')).to.equal(merged)
    expect(result.stdout).to.match(/Merged with your changes:\n(?: {2}.*\n)* {2}app\/kernel\/edited\.ts\n/)
  })

  it('writes conflict markers into a file that was edited in the same lines, lists it and exits with 1', () => {
    expect(project.read('app/kernel/conflicting.ts')).to.include(
      '<<<<<<< yours\n// changed by the owner\n=======\n// changed by the template\n>>>>>>> template 0.2.0\n',
    )
    expect(result.stdout).to.include('  app/kernel/conflicting.ts: 1 conflict\n')
    expect(result.code).to.equal(1)
  })

  it('keeps a deleted file deleted', () => {
    expect(project.read('app/kernel/deleted.ts')).to.equal(null)
    expect(result.stdout).to.match(/; \d+ deleted files stay deleted\./)
  })

  it('removes a file that the template has removed', () => {
    expect(project.read('app/kernel/removed.ts')).to.equal(null)
  })

  it('keeps and lists an edited file that the template has removed', () => {
    expect(project.read('app/kernel/removed-edited.ts')).to.equal('// changed by the owner\n')
    expect(result.stdout).to.include('app/kernel/removed-edited.ts: removed in the template, edited here; kept\n')
  })

  it('merges an edited file at the path to which the template has moved it', () => {
    const merged = lines({ 1: '// changed by the owner', 12: '// changed by the template' })
    expect(project.read('app/kernel/moved.ts')).to.equal(null)
    expect(project.read('app/kernel/lib/moved.ts')).to.equal(merged)
  })

  it('adds new files', () => {
    expect(project.read('app/kernel/added.ts')).to.equal('// new\n')
    expect(project.read('plugins/etag/index.ts')).to.equal('export const etag = 2\n')
    expect(result.stdout).to.match(/New plugins: .*\n {2}plugins\/etag\n/)
  })

  it('does not add files of a removed plugin, nor files that import it, directly or indirectly', () => {
    for (const [file, reason] of [
      ['plugins/search/words.ts', 'plugins/search was removed from the project'],
      ['plugins/cors/search.test.ts', 'it imports plugins/search/index.ts, which the project does not have'],
      ['test/search.ts', 'it imports plugins/search/words.ts, which the project does not have'],
      ['test/search-helper.test.ts', 'it imports test/search.ts, which the project does not have'],
    ] as const) {
      expect(project.read(file), file).to.equal(null)
      expect(result.stdout).to.include(`  ${file}: ${reason}\n`)
    }
  })

  it('keeps a binary file that both sides have changed, and lists it', () => {
    expect(project.read('test/support/logo.png')).to.equal('a\0d')
    expect(result.stdout).to.include('test/support/logo.png: binary file, changed here and in the template; kept')
  })

  it('leaves files of the owner byte-equal, and lists those that the template has changed', () => {
    for (const file of ['app/main.ts', 'resources/notes/resource.ts', 'resources/orders/resource.ts']) {
      expect(project.read(file), file).to.equal(ownerChanges[file])
    }
    expect(result.stdout).to.match(
      /--owner-files merges them:\n {2}app\/main\.ts\n {2}resources\/notes\/resource\.ts\n/,
    )
  })

  it('leaves a plugin of the owner byte-equal when the template has a new plugin of the same name', () => {
    expect(project.read('plugins/audit/index.ts')).to.equal(ownerChanges['plugins/audit/index.ts'])
    expect(result.stdout).to.include('plugins/audit is yours; the template has a new plugin of the same name')
  })

  it('merges package.json by keys: keeps name, version and own keys, keeps removed keys removed', () => {
    expect(JSON.parse(project.read('package.json') as string)).to.deep.equal({
      name: 'shop',
      version: '7.0.0',
      type: 'module',
      imports: { '#plugins/*': './plugins/*' },
      scripts: { check: 'node -e 0', build: 'build', doctor: 'node -e 0', lint: 'lint --all', deploy: 'deploy' },
      dependencies: { koa: '2.0.0', pg: '1.5.0', ulid: '1.0.0', stripe: '1.0.0' },
    })
  })

  it('lists a key of package.json that both sides have changed', () => {
    expect(result.stdout).to.include('package.json: dependencies.pg: kept "1.5.0"; the template has "2.0.0"')
  })

  it('records version, commit and file hashes in the manifest', () => {
    const manifest = JSON.parse(project.read('.template/manifest.json') as string)
    expect(manifest).to.include({ version: '0.2.0', commit: template.git('rev-parse', 'v0.2.0') })
    expect(manifest.files['app/kernel/added.ts']).to.equal(template.git('rev-parse', 'v0.2.0:app/kernel/added.ts'))
    expect(Object.keys(manifest.files)).not.to.include('app/main.ts').and.not.to.include('package.json')
  })

  it('prints the changelog between the versions', () => {
    expect(result.stdout).to.include('CHANGELOG.md since 0.1.0:\n\n## 0.2.0\n\nHooks are renamed.\n')
    expect(result.stdout).not.to.include('First version.')
  })

  it('refuses another update before the first is committed', async () => {
    const { code, stderr } = await update(project, '--from', template.folder)
    expect(code).to.equal(1)
    expect(stderr).to.equal('An update is in progress. Commit it, or undo it: npm run update -- --abort\n')
  })

  it('restores everything with --abort, also resolved conflicts, and keeps other new files', async () => {
    const clone = cloneProject()
    await update(clone, '--from', template.folder, '--merge-only')
    clone.write({ 'app/kernel/conflicting.ts': '// resolved\n', 'notes.txt': 'mine' })
    clone.git('add', 'app')
    const { code, stdout } = await update(clone, '--abort')
    expect(code).to.equal(0)
    expect(stdout).to.match(/^Restored the state before the update: \d+ files\./)
    expect(clone.git('status', '--porcelain')).to.equal('?? notes.txt')
    expect((await update(clone, '--abort')).stderr).to.include('There is no update to abort')
  })

  it('writes nothing with --dry-run, and prints the same summary', async () => {
    const clone = cloneProject()
    const { stdout, code } = await update(clone, '--from', template.folder, '--dry-run')
    expect(clone.git('status', '--porcelain')).to.equal('')
    expect(stdout.split('\n')[0]).to.match(/^Would update from 0\.1\.0 \(\w{7}\) to 0\.2\.0 \(\w{7}\)\.$/)
    const listOf = (text: string) => text.slice(text.indexOf('\n'), text.indexOf('\nCHANGELOG'))
    expect(listOf(stdout)).to.equal(listOf(result.stdout))
    expect(code).to.equal(1)
  })

  it('merges files of the owner with --owner-files', async () => {
    const clone = cloneRepository(template, 'v0.1.0')
    clone.write({ 'resources/orders/resource.ts': '// orders\n' })
    clone.commit('a resource')
    const { code } = await update(clone, '--from', template.folder, '--merge-only', '--owner-files')
    expect(code).to.equal(0)
    expect(clone.read('app/main.ts')).to.equal('// main of the template 0.2.0\n')
    expect(clone.read('resources/orders/resource.ts')).to.equal('// orders\n')
  })

  it('does not touch a file that .template/owned names', async () => {
    const clone = cloneRepository(template, 'v0.1.0')
    clone.write({ '.template/owned': 'app/*.ts\nresources/**\napp/kernel/untouched.ts\n' })
    clone.commit('an owned file')
    await update(clone, '--from', template.folder, '--merge-only')
    expect(clone.read('app/kernel/untouched.ts')).to.equal('// one\n')
  })

  it('rewrites files of the owner with --codemods only, and prints the diff with --dry-run', async () => {
    const clone = cloneProject()
    const { stdout } = await update(clone, '--from', template.folder, '--dry-run', '--codemods')
    expect(stdout).to.include('  0.2.0: onWrite becomes beforeSave\n')
    expect(stdout).to.include('--- plugins/audit/index.ts\n+++ plugins/audit/index.ts\n')
    expect(stdout).to.include('-export const audit = { onWrite() {} }\n+export const audit = { beforeSave() {} }')
    expect(clone.git('status', '--porcelain')).to.equal('')
    await update(clone, '--from', template.folder, '--merge-only', '--codemods')
    expect(clone.read('plugins/audit/index.ts')).to.equal('export const audit = { beforeSave() {} }\n')
    expect(result.stdout).to.include('--codemods does it:\n  plugins/audit/index.ts\n')
  })

  it('runs npm run check -- types and npm run doctor if there is no conflict, and exits with 1 if one fails', async () => {
    const clone = cloneRepository(template, 'v0.1.0')
    const { scripts, ...manifest } = JSON.parse(clone.read('package.json') as string)
    const dependencies = { koa: '2.0.0', pg: '2.0.0', ulid: '1.0.0' }
    const changed = { ...manifest, dependencies, scripts: { ...scripts, doctor: 'node -e "process.exit(1)"' } }
    clone.write({ 'package.json': `${JSON.stringify(changed)}\n` })
    clone.commit('a doctor that fails')
    const { code, stdout, stderr } = await update(clone, '--from', template.folder)
    expect(stdout)
      .to.include('npm run check -- types\n')
      .and.to.include('npm run doctor\n')
      .and.not.to.include('npm install\n')
    expect(stderr).to.include('npm run doctor failed.\n').and.not.to.include('types failed')
    expect(code).to.equal(1)
  })
})
