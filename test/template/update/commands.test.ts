import { expect } from 'chai'
import { runNode } from '#test/template/support/run-node.ts'
import {
  createRepository,
  type Repository,
  removeTemporaryFolders,
} from '#test/template/support/template-repository.ts'
import { json } from './synthetic-template.ts'

const runScript = (name: string, ...args: readonly string[]) => runNode([`scripts/${name}`, ...args])

describe('Commands of the template', () => {
  for (const script of ['update.ts', 'update-status.ts', 'template/release.ts']) {
    it(`prints the options of scripts/${script} with --help, and exits with 1 for an unknown option`, async () => {
      const { code, stdout } = await runScript(script, '--help')
      expect(code).to.equal(0)
      expect(stdout).to.match(/^npm run /)
      const unknown = await runScript(script, '--unknown')
      expect(unknown.code).to.equal(1)
      expect(unknown.stderr).to.include(`Unknown option '--unknown'`).and.to.include(stdout)
    })
  }

  it('exits with 1 when npm run update has no --from', async () => {
    const { code, stderr } = await runScript('update.ts')
    expect(code).to.equal(1)
    expect(stderr).to.match(/^--from is missing\./)
  })
})

describe('npm run template -- release', () => {
  let template: Repository
  before(() => {
    template = createRepository({
      'package.json': json({ name: 'template', version: '0.1.0' }),
      'package-lock.json': json({ name: 'template', version: '0.1.0', packages: { '': { version: '0.1.0' } } }),
      'CHANGELOG.md': '# Changelog\n\n## 0.2.0\n\nText.\n',
      '.template/owned': 'app/*.ts\n',
      'app/main.ts': '// main\n',
      'app/kernel/index.ts': '// kernel\n',
    })
  })
  after(removeTemporaryFolders)
  const release = (version: string) =>
    runScript('template/release.ts', '--project', template.folder, '--version', version)
  const status = () => runScript('update-status.ts', '--project', template.folder)

  it('exits with 1 when the version has no section in CHANGELOG.md, or is not a version', async () => {
    expect((await release('0.3.0')).stderr).to.equal(`CHANGELOG.md has no section '## 0.3.0'.\n`)
    expect((await release('next')).stderr).to.match(/^--version is missing or not like 0\.3\.0\./)
  })

  it('writes the version, and the git blob id of every file of the template', async () => {
    expect((await release('0.2.0')).code).to.equal(0)
    expect(JSON.parse(template.read('package.json') as string).version).to.equal('0.2.0')
    expect(JSON.parse(template.read('package-lock.json') as string).packages[''].version).to.equal('0.2.0')
    const { version, files } = JSON.parse(template.read('.template/manifest.json') as string)
    expect(version).to.equal('0.2.0')
    expect(Object.keys(files)).to.deep.equal(['.template/owned', 'CHANGELOG.md', 'app/kernel/index.ts'])
    expect(files['app/kernel/index.ts']).to.equal(template.git('rev-parse', 'HEAD:app/kernel/index.ts'))
  })

  it('exits with 1 when the tree is not clean, or the tag exists', async () => {
    expect((await release('0.2.0')).stderr).to.match(/^Commit these changes first:/)
    template.commit('release')
    template.git('tag', 'v0.2.0')
    expect((await release('0.2.0')).stderr).to.equal('The tag v0.2.0 exists already.\n')
  })

  it('makes npm run update -- status list files of the template that were edited or deleted', async () => {
    expect((await status()).stdout).to.equal('Based on version 0.2.0 of the template: 3 files.\n0 edited, 0 deleted.\n')
    template.write({ 'app/kernel/index.ts': '// edited\n', 'app/main.ts': '// edited\n', 'CHANGELOG.md': null })
    const { code, stdout } = await status()
    expect(code).to.equal(0)
    expect(stdout).to.include('edited   app/kernel/index.ts\ndeleted  CHANGELOG.md\n1 edited, 1 deleted.\n')
  })
})
