import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { changelogVersions } from '../../../scripts/manifest/changelog.ts'
import { tryGit } from '../../../scripts/manifest/git.ts'
import { readHashes, readManifest } from '../../../scripts/manifest/manifest.ts'
import { readOwnership } from '../../../scripts/manifest/ownership.ts'

// npm run template -- release writes the manifest. In a project, npm run update does.

describe('.template/manifest.json', () => {
  const manifest = readManifest(root)

  it('names a version that CHANGELOG.md describes', () => {
    expect(changelogVersions(root)).to.include(manifest?.version)
  })

  it('lists only files that the template owns', () => {
    const isOfTemplate = readOwnership(root)
    const files = Object.keys(manifest?.files ?? {})
    expect(files).to.include('scripts/update.ts')
    expect(files.filter((file) => /^(?:app\/[^/]+\.ts|resources\/.*|package\.json)$/.test(file))).to.deep.equal([])
    expect(isOfTemplate('app/main.ts')).to.equal(false)
  })

  it('has the hashes of the release, skipped if the repository does not have its tag', function () {
    const tag = `refs/tags/v${manifest?.version}`
    const hasTag = existsSync(join(root, '.git')) && tryGit(root, 'rev-parse', '--verify', '--quiet', tag) !== null
    if (manifest?.commit || !hasTag) return this.skip()
    const isOfTemplate = readOwnership(root)
    const released = Object.entries(readHashes(root, tag)).filter(([file]) => isOfTemplate(file))
    expect(manifest?.files).to.deep.include(Object.fromEntries(released))
  })
})
