import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Choice, readManifest } from '../manifest/manifest.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'

/** The exports of scripts/init/removal.ts and scripts/init/project.ts of a version, which a project does not have any more. */
interface Initialisation {
  planRemoval(root: string, choice: Choice): { readonly gone: ReadonlySet<string> }
  writeRemoval(root: string, removal: object): void
}

/** Removes from both versions what `npm run init` has removed from the project, so that the update does not bring it back. */
export async function initialiseVersions(
  project: string,
  base: Snapshot,
  target: Snapshot,
): Promise<[Snapshot, Snapshot]> {
  const isFormer = base.files.has(formerCommand) && !existsSync(join(project, formerCommand))
  const choice = readManifest(project)?.init ?? (isFormer ? withoutDemo : null)
  if (!choice) return [base, target]
  return [await initialise(base, target, choice), await initialise(target, target, choice)]
}

/** Each version has its own list of parts; one that is older than the command gets that of the target. */
async function initialise(version: Snapshot, target: Snapshot, choice: Choice): Promise<Snapshot> {
  if (version.files.has(formerRemoval)) return removeFormerDemo(version)
  const { folder } = [version, target].find(({ files }) => files.has(removalFile)) ?? target
  if (!existsSync(join(folder, removalFile))) return version
  const load = (file: string): Promise<Initialisation> => import(pathToFileURL(join(folder, file)).href)
  const { planRemoval } = await load(removalFile)
  const { writeRemoval } = await load(projectFile)
  const planned = planRemoval(version.folder, choice)
  const gone = new Set([...planned.gone].filter((file) => file !== changelog))
  writeRemoval(version.folder, { ...planned, gone })
  const { files, ...snapshot } = readSnapshot(version.folder, version.commit)
  return { ...snapshot, files: new Set([...files].filter((file) => !planned.gone.has(file))) }
}

/** Versions with npm run demo:remove have their own code for it. */
async function removeFormerDemo({ folder, commit }: Snapshot): Promise<Snapshot> {
  const former = await import(pathToFileURL(join(folder, formerRemoval)).href)
  former.writeRemoval(folder, former.planRemoval(folder))
  return readSnapshot(folder, commit)
}

const formerCommand = 'scripts/demo-remove.ts'
const formerRemoval = 'scripts/demo/removal.ts'
const withoutDemo: Choice = { demo: false, tests: true, pages: true, plugins: null }

const removalFile = 'scripts/init/removal.ts'
const projectFile = 'scripts/init/project.ts'

/** Left in the temporary folder, because the summary of the update prints its sections. */
const changelog = 'CHANGELOG.md'
