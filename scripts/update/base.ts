import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { git, TemplateError } from '../manifest/git.ts'
import { readManifest } from '../manifest/manifest.ts'
import type { Snapshot } from './snapshot.ts'
import { openSource, type Source } from './source.ts'

interface BaseOptions {
  readonly project: string
  readonly workspace: string
  readonly base?: string | undefined
}

/**
 * Opens the version that the project was made from or last updated to: `--base`, the commit of the last update, the merge
 * base of the project with the target, or the release that the manifest names.
 */
export function openBase(source: Source, target: Snapshot, { project, workspace, base: given }: BaseOptions): Snapshot {
  const folder = join(workspace, 'base')
  if (given !== undefined) return openGiven(source, workspace, given)
  const manifest = readManifest(project)
  const commits = git(project, 'rev-list', '--topo-order', 'HEAD').split('\n')
  const commit = manifest?.commit ?? source.mergeBase(target, commits)
  const base = (commit && source.open(commit, folder)) || (manifest && source.open(manifest.version, folder))
  if (base) return base
  const version = manifest
    ? `version ${manifest.version}, which this project is based on`
    : 'the version this project is based on'
  throw new TemplateError(`The source does not have ${version}. Name it with --base <tag, commit, folder or archive>.`)
}

function openGiven(source: Source, workspace: string, given: string): Snapshot {
  const folder = join(workspace, 'base')
  const base = source.open(given, folder)
  if (base) return base
  if (!existsSync(given)) {
    throw new TemplateError(`--base ${given} is not a tag or commit of the source, nor a folder or archive.`)
  }
  const otherWorkspace = join(workspace, 'base-source')
  mkdirSync(otherWorkspace)
  return openSource(given, otherWorkspace).openNewest(folder)
}
