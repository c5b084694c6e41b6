import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changelogVersions } from '../manifest/changelog.ts'
import { git, reportTemplateErrors, TemplateError, tryGit } from '../manifest/git.ts'
import { readHashes, toJson, writeManifest } from '../manifest/manifest.ts'
import { readOwnership } from '../manifest/ownership.ts'
import { isVersion } from '../manifest/versions.ts'
import { readArguments } from '../support/arguments.ts'
import { root } from '../support/root.ts'

const usage = `npm run template -- release --version 0.3.0

For maintainers of the template. Writes the version into package.json and package-lock.json, and the hashes of all files
of the template into .template/manifest.json. The version needs a section in CHANGELOG.md. Commit and tag the result.`

const { values } = readArguments({
  usage,
  options: { version: { type: 'string' }, project: { type: 'string', default: root } },
})

await reportTemplateErrors(() => {
  const { project, version = '' } = values
  checkRelease(project, version)
  const isOfTemplate = readOwnership(project)
  const files = Object.entries(readHashes(project, 'HEAD')).filter(([file]) => isOfTemplate(file))
  writeVersion(project, version)
  writeManifest(project, { version, files: Object.fromEntries(files) })
  console.log(`Wrote the hashes of ${files.length} files. Then:

git commit --all --message 'chore: release ${version}'
git tag v${version}`)
})

function checkRelease(project: string, version: string): void {
  if (!isVersion(version)) throw new TemplateError(`--version is missing or not like 0.3.0.\n\n${usage}`)
  const changes = git(project, 'status', '--porcelain')
  if (changes) throw new TemplateError(`Commit these changes first:\n${changes}`)
  if (!changelogVersions(project).includes(version)) {
    throw new TemplateError(`CHANGELOG.md has no section '## ${version}'.`)
  }
  if (tryGit(project, 'rev-parse', '--verify', '--quiet', `refs/tags/v${version}`)) {
    throw new TemplateError(`The tag v${version} exists already.`)
  }
}

function writeVersion(project: string, version: string): void {
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  writeFileSync(join(project, 'package.json'), toJson({ ...manifest, version }))
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
  const packages = { ...lock.packages, '': { ...lock.packages[''], version } }
  writeFileSync(join(project, 'package-lock.json'), toJson({ ...lock, version, packages }))
}
