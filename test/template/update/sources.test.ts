import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  cloneRepository,
  createRepository,
  type Repository,
  removeTemporaryFolders,
  repositoryIn,
  temporaryFolder,
  update,
} from '#test/template/support/template-repository.ts'
import { createTemplate, json } from './synthetic-template.ts'

describe('npm run update', () => {
  let template: Repository
  before(() => {
    template = createTemplate()
  })
  after(removeTemporaryFolders)

  /** A copy of a version without its history. */
  const copyVersion = (version: string): string => {
    const folder = cloneRepository(template, version).folder
    rmSync(join(folder, '.git'), { recursive: true })
    return folder
  }
  const createProject = (): Repository => {
    const project = repositoryIn(temporaryFolder())
    cpSync(copyVersion('v0.1.0'), project.folder, { recursive: true })
    project.git('init', '--quiet')
    project.commit('a copy of the template')
    return project
  }
  const isUpdated = (project: Repository) => project.read('app/kernel/untouched.ts') === '// two\n'

  describe('--from and --to', () => {
    it('updates to the tag of a version, and to a commit', async () => {
      const clone = cloneRepository(template, 'v0.1.0')
      const { stdout } = await update(clone, '--from', template.folder, '--to', '0.2.0', '--merge-only')
      expect(stdout).to.include(`to 0.2.0 (${template.git('rev-parse', 'v0.2.0').slice(0, 7)}).`)
      const other = cloneRepository(template, 'v0.1.0')
      await update(other, '--from', template.folder, '--to', template.git('rev-parse', 'v0.2.0'), '--merge-only')
      expect(isUpdated(other)).to.equal(true)
    })

    it('updates to the default branch when the repository has no release', async () => {
      const source = cloneRepository(template, 'v0.2.0')
      source.git('tag', '--delete', 'v0.1.0', 'v0.2.0')
      const project = createProject()
      const { stdout } = await update(project, '--from', source.folder, '--base', 'HEAD~1', '--merge-only')
      expect(stdout).to.match(/^Updated from 0\.1\.0 \(\w+\) to 0\.2\.0 /)
    })

    it('updates from a folder and from an archive with --base', async () => {
      const project = createProject()
      const options = ['--base', copyVersion('v0.1.0'), '--merge-only']
      expect((await update(project, '--from', copyVersion('v0.2.0'), ...options)).code).to.equal(0)
      expect(isUpdated(project)).to.equal(true)

      const archives = ['v0.1.0', 'v0.2.0'].map((tag) => {
        const file = join(temporaryFolder(), `${tag}.tar.gz`)
        template.git('archive', '--format=tar.gz', '--prefix=template/', `--output=${file}`, tag)
        return file
      })
      const other = createProject()
      const [base = '', from = ''] = archives
      expect((await update(other, '--from', from, '--base', base, '--merge-only')).code).to.equal(0)
      expect(isUpdated(other)).to.equal(true)
    })

    it('exits with 1 when the source does not have the version', async () => {
      const { code, stderr } = await update(createProject(), '--from', template.folder, '--to', '0.9.0')
      expect(code).to.equal(1)
      expect(stderr).to.equal(`The source has no version, tag or commit '0.9.0'.\n`)
    })

    it('exits with 1 when the source is not a repository, folder or archive', async () => {
      const project = createProject()
      expect((await update(project, '--from', join(project.folder, 'nowhere'))).stderr).to.include('git clone: ')
      expect((await update(project, '--from', join(project.folder, 'package.json'))).stderr).to.include(
        'is not a tar archive (.tar, .tar.gz)',
      )
    })
  })

  describe('--base', () => {
    it('is the newest commit that both histories have, for a clone', async () => {
      const { stdout } = await update(cloneRepository(template, 'v0.1.0'), '--from', template.folder, '--dry-run')
      expect(stdout).to.include(`Would update from 0.1.0 (${template.git('rev-parse', 'v0.1.0').slice(0, 7)})`)
    })

    it('is the merge base with the target when the source also has the commits of the project', async () => {
      const project = cloneRepository(template, 'v0.1.0')
      project.write({ 'resources/songs/resource.ts': '// songs\n' })
      project.commit('a resource of the project')
      template.git('fetch', '--quiet', project.folder, 'main:project')
      const { stdout } = await update(project, '--from', template.folder, '--merge-only')
      template.git('branch', '--quiet', '--delete', '--force', 'project')
      expect(stdout).to.include(`Updated from 0.1.0 (${template.git('rev-parse', 'v0.1.0').slice(0, 7)}) to 0.2.0 `)
      expect(isUpdated(project)).to.equal(true)
      expect(project.read('resources/songs/resource.ts')).to.equal('// songs\n')
    })

    it('is the release that the manifest names, for a copy without history', async () => {
      const project = createProject()
      expect((await update(project, '--from', template.folder, '--merge-only')).code).to.equal(0)
      expect(isUpdated(project)).to.equal(true)
    })

    it('is the commit of the last update: another update finds nothing to do', async () => {
      const project = createProject()
      await update(project, '--from', template.folder, '--merge-only')
      project.commit('update')
      const { code, stdout } = await update(project, '--from', template.folder)
      expect(code).to.equal(0)
      expect(stdout).to.match(/^Nothing to update: the project is based on 0\.2\.0 \(\w+\), which contains 0\.2\.0 /)
    })

    it('has to be given for a project without a manifest that shares no commit with the source', async () => {
      const project = createProject()
      project.write({ '.template/manifest.json': null })
      project.commit('an older project')
      const { code, stderr } = await update(project, '--from', template.folder)
      expect(code).to.equal(1)
      expect(stderr).to.include('Name it with --base <tag, commit, folder or archive>.')
      const { code: success } = await update(project, '--from', template.folder, '--base', 'v0.1.0', '--merge-only')
      expect(success).to.equal(0)
    })

    it('exits with 1 when it is neither a version of the source nor a folder or archive', async () => {
      const { stderr } = await update(createProject(), '--from', template.folder, '--base', 'v0.0.9')
      expect(stderr).to.equal('--base v0.0.9 is not a tag or commit of the source, nor a folder or archive.\n')
    })
  })

  it('exits with 1 and lists the changes when the tree is not clean', async () => {
    const project = createProject()
    project.write({ 'app/main.ts': '// not committed\n' })
    const { code, stderr } = await update(project, '--from', template.folder)
    expect(code).to.equal(1)
    expect(stderr).to.equal('Commit or stash these changes first:\n M app/main.ts\n')
  })

  it('exits with 1 when the project has no commit', async () => {
    const project = repositoryIn(temporaryFolder())
    const { stderr } = await update(project, '--from', template.folder)
    expect(stderr).to.include('The project has no commit.')
  })

  it('leaves out the demo, and files that import it, when the project has removed the demo', async () => {
    const removal = `import { rmSync } from 'node:fs'
import { join } from 'node:path'
export const planRemoval = (root: string) => root
export const writeRemoval = (root: string) => {
  for (const file of ['scripts/demo', 'scripts/demo-remove.ts', 'test/new-demo.test.ts']) {
    rmSync(join(root, file), { recursive: true, force: true })
  }
}
`
    const manifest = json({ name: 'template', version: '0.1.0', type: 'module' })
    const demo = createRepository({
      'package.json': manifest,
      'scripts/demo-remove.ts': '// one\n',
      'scripts/demo/removal.ts': removal,
      'app/kernel/untouched.ts': '// one\n',
    })
    const project = cloneRepository(demo)
    project.write({ 'scripts/demo-remove.ts': null, 'scripts/demo': null })
    project.commit('remove the demo')
    demo.write({
      'scripts/demo-remove.ts': '// two\n',
      'test/new-demo.test.ts': '',
      'app/kernel/untouched.ts': '// two\n',
    })
    demo.commit('second version')
    await update(project, '--from', demo.folder, '--merge-only')
    expect(isUpdated(project)).to.equal(true)
    expect(project.read('test/new-demo.test.ts')).to.equal(null)
    expect(project.read('scripts/demo-remove.ts')).to.equal(null)
  })
})
