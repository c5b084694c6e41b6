import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TemplateError } from '../manifest/git.ts'
import { type Choice, readManifest } from '../manifest/manifest.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'

/** Exports of scripts/init/ of a version, which a project does not have any more. */
interface Initialisation {
  planRemoval(root: string, choice: Choice): { readonly gone: ReadonlySet<string> }
  writeRemoval(root: string, removal: object): void
}

interface Initialised {
  readonly base: Snapshot
  readonly target: Snapshot
  /** What the project has of the target; absent if `npm run init` did not run. */
  readonly choice?: Choice
}

/**
 * Removes from both versions what `npm run init` has removed from the project, so that the update does not bring it back. Plugins
 * to add are left in the target, with those that they require.
 */
export async function initialiseVersions(
  project: string,
  base: Snapshot,
  target: Snapshot,
  plugins: string | undefined,
): Promise<Initialised> {
  const choice = readManifest(project)?.init
  const next = plugins === undefined ? choice : await withPlugins(choice, target, plugins)
  const isFormer = base.files.has(formerCommand) && !existsSync(join(project, formerCommand))
  const before = choice ?? (isFormer ? withoutDemo : undefined)
  const after = next ?? before
  if (!before || !after) return { base, target }
  return {
    base: await initialise(base, target, before),
    target: await initialise(target, target, after),
    ...(next && { choice: next }),
  }
}

async function withPlugins(choice: Choice | undefined, { folder }: Snapshot, plugins: string): Promise<Choice> {
  if (!choice?.plugins) {
    throw new TemplateError(
      '--plugins adds plugins that npm run init has removed. npm run init has removed no plugin from this project.',
    )
  }
  const { readPluginList } = await import(pathToFileURL(join(folder, pluginsFile)).href)
  try {
    const list = plugins === 'all' ? plugins : [...choice.plugins, plugins].join(',')
    return { ...choice, plugins: readPluginList(folder, list) }
  } catch (error) {
    throw new TemplateError((error as Error).message)
  }
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
  const gone = new Set([...planned.gone].filter((file) => !isReadLater(file)))
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
const pluginsFile = 'scripts/init/plugins.ts'

/** Left in the temporary folder: the summary of the update prints sections of the changelog, and codemods are run. */
function isReadLater(file: string): boolean {
  return file === 'CHANGELOG.md' || file.startsWith('.template/codemods/')
}
