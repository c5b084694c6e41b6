import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, TemplateError, tryGit } from '../manifest/git.ts'
import { type Choice, hashFiles, type Manifest, toJson } from '../manifest/manifest.ts'
import { readOwnership, toOwnership } from '../manifest/ownership.ts'
import { readProgress } from './apply.ts'
import { openBase } from './base.ts'
import { type PlannedCodemods, planCodemods } from './codemods.ts'
import { initialiseVersions } from './initialised.ts'
import { type KeyConflict, mergePackage } from './merge-package.ts'
import type { Versions } from './pairs.ts'
import { type Change, planChanges } from './plan.ts'
import { copySnapshot, describeVersion } from './snapshot.ts'
import { openSource } from './source.ts'

export interface UpdateOptions {
  readonly project: string
  /** A temporary folder for the versions. */
  readonly workspace: string
  readonly from: string
  readonly to?: string | undefined
  readonly base?: string | undefined
  /** Plugins to add that `npm run init` has left out, separated by commas. */
  readonly plugins?: string | undefined
  readonly ownerFiles: boolean
  readonly codemods: boolean
}

/** A planned update. Nothing is written yet. */
export interface Update {
  readonly versions: Versions
  readonly changes: readonly Change[]
  readonly keyConflicts: readonly KeyConflict[]
  readonly codemods: PlannedCodemods
  /** Files of the owner that differ between the versions. */
  readonly ownerChanges: readonly string[]
  /** Whether the dependencies differ, so that `npm install` is needed. */
  readonly needsInstall: boolean
  readonly manifest: Manifest
}

/** Throws unless the project is a git repository without changes, so that every change can be undone. */
export function checkClean(project: string): void {
  if (tryGit(project, 'rev-parse', '--verify', '--quiet', 'HEAD') === null) {
    throw new TemplateError('The project has no commit. Commit it to git first: the update can be undone only then.')
  }
  const changes = git(project, 'status', '--porcelain', '--', '.')
  if (!changes) return
  if (readProgress(project)) {
    throw new TemplateError('An update is in progress. Commit it, or undo it: npm run update -- --abort')
  }
  throw new TemplateError(`Commit or stash these changes first:\n${changes}`)
}

/** Reads both versions and plans the merge. Returns null if the project has all changes of the target already. */
export async function planUpdate(options: UpdateOptions): Promise<Update | null> {
  const { project, workspace } = options
  const source = openSource(options.from, workspace)
  const folder = join(workspace, 'target')
  const newest = options.to === undefined ? source.openNewest(folder) : source.open(options.to, folder)
  if (!newest) throw new TemplateError(`The source has no version, tag or commit '${options.to}'.`)
  const origin = openBase(source, newest, options)
  const isCurrent = source.contains(origin, newest)
  if (isCurrent && options.plugins === undefined) {
    console.log(
      `Nothing to update: the project is based on ${describeVersion(origin)}, which contains ${describeVersion(newest)}.`,
    )
    return null
  }
  const next = isCurrent ? copySnapshot(origin, join(workspace, 'same')) : newest
  const { base, target, choice } = await initialiseVersions(project, origin, next, options.plugins)
  const versions: Versions = { project, base, target, isOfTemplate: readOwnership(project, target.folder) }
  const merged = options.ownerFiles ? { ...versions, isOfTemplate: toOwnership([]) } : versions
  const keys = planPackage(versions)
  const changes = [...planChanges(merged), ...keys.changes]
  const codemods = await planCodemods(versions, changes)
  return {
    versions,
    codemods,
    changes: options.codemods ? replaceChanges(changes, codemods.rewritten) : changes,
    keyConflicts: keys.conflicts,
    needsInstall: keys.needsInstall,
    ownerChanges: options.ownerFiles ? [] : changedOwnerFiles(versions),
    manifest: toManifest(versions, choice),
  }
}

function replaceChanges(changes: readonly Change[], others: readonly Change[]): Change[] {
  const paths = new Set(others.map(({ path }) => path))
  return [...changes.filter(({ path }) => !paths.has(path)), ...others]
}

interface PackageChanges {
  readonly changes: readonly Change[]
  readonly conflicts: readonly KeyConflict[]
  readonly needsInstall: boolean
}

function planPackage({ project, base, target }: Versions): PackageChanges {
  const path = 'package.json'
  const read = (folder: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'))
  const ours = read(project)
  const { merged, conflicts } = mergePackage(ours, read(base.folder), read(target.folder))
  const isChanged = (key: string) => JSON.stringify(ours[key]) !== JSON.stringify(merged[key])
  const changes: Change[] = Object.keys({ ...ours, ...merged }).some(isChanged)
    ? [{ path, result: 'merged', content: Buffer.from(toJson(merged)) }]
    : []
  const needsInstall = ['dependencies', 'devDependencies', 'optionalDependencies'].some(isChanged)
  return { changes, conflicts, needsInstall }
}

/** Finds the files of the owner that the template has changed since the base, or has added. */
function changedOwnerFiles({ project, base, target, isOfTemplate }: Versions): string[] {
  const owned = [...target.files].filter((file) => !isOfTemplate(file) && toOwnership([])(file))
  const read = (folder: string, file: string) => {
    return existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : null
  }
  return owned.filter((file) => {
    const [ours, before, after] = [project, base.folder, target.folder].map((folder) => read(folder, file))
    return after !== before && after !== ours && (ours !== null || before === null)
  })
}

function toManifest({ target, isOfTemplate }: Versions, init: Choice | undefined): Manifest {
  const files = [...target.files].filter(isOfTemplate).sort()
  const { version, commit } = target
  return { version, ...(commit && { commit }), ...(init && { init }), files: hashFiles(target.folder, files) }
}
