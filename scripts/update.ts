import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { reportTemplateErrors, TemplateError } from './manifest/git.ts'
import { writeManifest } from './manifest/manifest.ts'
import { manifestFile } from './manifest/ownership.ts'
import { readArguments } from './support/arguments.ts'
import { root } from './support/root.ts'
import { abortUpdate, applyChanges } from './update/apply.ts'
import { checkClean, planUpdate, type Update } from './update/plan-update.ts'
import { countConflicts, printCodemodDiff, printSummary } from './update/summary.ts'

const usage = `npm run update -- --from <git repository, folder or archive> [options]

Merges a newer version of the template into this project, file by file. Files of yours (.template/owned) are not touched.
npm run update -- status lists the files of the template that this project has edited or deleted.

  --from <source>    a git repository (URL or path), a folder, or an archive (.tar, .tar.gz)
  --to <version>     a version, tag or commit; by default the newest release, or the default branch if there is none
  --base <version>   the version this project was made from: a tag, commit, folder or archive; by default it is detected
  --plugins <names>  also adds optional plugins that npm run init has left out, separated by commas
  --dry-run          prints what would change, and writes nothing
  --owner-files      also merges changes of the template into the files of .template/owned
  --codemods         also rewrites files of yours, if a version renamed something; --dry-run prints the diff
  --merge-only       does not run npm install, npm run make -- types, npm run check -- types and npm run doctor
  --abort            restores the state before an update that is not committed
  --project <folder> the project to update; by default the one of this script`

const { values } = readArguments({
  usage,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    base: { type: 'string' },
    plugins: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    'owner-files': { type: 'boolean', default: false },
    codemods: { type: 'boolean', default: false },
    'merge-only': { type: 'boolean', default: false },
    abort: { type: 'boolean', default: false },
    project: { type: 'string', default: root },
  },
})

await reportTemplateErrors(async () => {
  const project = realpathSync(resolve(values.project))
  if (values.abort) return abort(project)
  const { from } = values
  if (from === undefined) throw new TemplateError(`--from is missing.\n\n${usage}`)
  checkClean(project)
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'template-')))
  try {
    const options = { ...values, from, project, workspace, ownerFiles: values['owner-files'] }
    const update = await planUpdate(options)
    if (!update) return
    if (!values['dry-run']) writeUpdate(update)
    const passed = values['dry-run'] || values['merge-only'] || runChecks(update)
    printSummary(update, options, values['dry-run'])
    if (values['dry-run'] && values.codemods) printCodemodDiff(update, workspace)
    if (!values['dry-run']) printNextSteps(update)
    if (!passed || countConflicts(update) > 0) process.exitCode = 1
  } finally {
    rmSync(workspace, { recursive: true })
  }
})

function writeUpdate({ versions, changes, manifest }: Update): void {
  applyChanges(versions, changes, [manifestFile, 'package-lock.json'])
  mkdirSync(dirname(join(versions.project, manifestFile)), { recursive: true })
  writeManifest(versions.project, manifest)
}

/** Installs changed dependencies, lists the types for the client, then compiles and checks the project. Sources with conflict markers cannot be checked. */
function runChecks(update: Update): boolean {
  const { project } = update.versions
  const commands = [
    ...(update.needsInstall ? [['install']] : []),
    ...(countConflicts(update) > 0
      ? []
      : [
          ['run', '--if-present', 'make', '--', 'types'],
          ['run', 'check', '--', 'types'],
          ['run', 'doctor'],
        ]),
  ]
  return commands.map((command) => runNpm(project, command)).every(Boolean)
}

function runNpm(project: string, command: readonly string[]): boolean {
  console.log(`npm ${command.join(' ')}`)
  const { status } = spawnSync('npm', [...command], {
    cwd: project,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) console.error(`npm ${command.join(' ')} failed.`)
  return status === 0
}

function printNextSteps(update: Update): void {
  const resolveFirst =
    countConflicts(update) > 0
      ? 'Resolve the conflicts, then run npm install, npm run make -- types, npm run check -- types and npm run doctor.\n'
      : ''
  console.log(`
${resolveFirst}npm run openapi -- diff lists changes of your API. npm test runs the tests.
Commit the result, or undo the update: npm run update -- --abort`)
}

function abort(project: string): void {
  const { changed } = abortUpdate(project)
  console.log(`Restored the state before the update: ${changed.length} files.`)
  if (changed.includes('package-lock.json')) console.log('Run npm install if the update has changed dependencies.')
}
