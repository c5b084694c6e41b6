import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { git } from '../manifest/git.ts'
import { compareVersions } from '../manifest/versions.ts'
import { findProjectPlugin, type Versions } from './pairs.ts'
import type { Change } from './plan.ts'

/** The exports of `.template/codemods/<version>.ts`: changes that the version requires in files of a project. */
interface Codemod {
  readonly description: string
  /** Returns the new source of a TypeScript file; the same if there is nothing to change. */
  rewrite(source: string, file: string): string
}

export interface PlannedCodemods {
  /** A line per codemod: version and description. */
  readonly descriptions: readonly string[]
  readonly rewritten: readonly Change[]
}

/** Plans the codemods of all versions after the base, up to the target, for the TypeScript files of the owner. */
export async function planCodemods(versions: Versions, changes: readonly Change[]): Promise<PlannedCodemods> {
  const codemods = await loadCodemods(versions)
  const planned = new Map(changes.map((change) => [change.path, change]))
  const rewritten = ownerFiles(versions).flatMap((path): Change[] => {
    const change = planned.get(path)
    const source = String(change?.content ?? readFileSync(join(versions.project, path)))
    const text = codemods.reduce((before, { codemod }) => codemod.rewrite(before, path), source)
    return text === source ? [] : [{ path, result: 'rewritten', ...change, content: Buffer.from(text) }]
  })
  return { descriptions: codemods.map(({ version, codemod }) => `${version}: ${codemod.description}`), rewritten }
}

async function loadCodemods({ base, target }: Versions) {
  const folder = join(target.folder, '.template/codemods')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.ts')) : []
  const released = names
    .map((name) => basename(name, '.ts'))
    .filter((name) => compareVersions(name, base.version) > 0 && compareVersions(name, target.version) <= 0)
    .sort(compareVersions)
  return Promise.all(
    released.map(async (version) => {
      const codemod: Codemod = await import(pathToFileURL(join(folder, `${version}.ts`)).href)
      return { version, codemod }
    }),
  )
}

/** Files of the project that the template does not own: `app/*.ts`, resources, plugins of the project and their tests. */
function ownerFiles(versions: Versions): string[] {
  const { project, base, target, isOfTemplate } = versions
  const isFromTemplate = (file: string) =>
    isOfTemplate(file) && (base.files.has(file) || target.files.has(file)) && !findProjectPlugin(file, versions)
  const tracked = git(project, 'ls-files', '-z').split('\0')
  return tracked.filter((file) => file.endsWith('.ts') && !isFromTemplate(file) && existsSync(join(project, file)))
}
