import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { spawnGit } from '../manifest/git.ts'
import type { Ownership } from '../manifest/ownership.ts'
import type { Snapshot } from './snapshot.ts'

/** The versions that an update merges into a project. */
export interface Versions {
  readonly project: string
  readonly base: Snapshot
  readonly target: Snapshot
  readonly isOfTemplate: Ownership
}

/** A file of both versions, which may have moved, or of one of them. */
export interface Pair {
  readonly before: string | null
  readonly after: string | null
}

export function pairFiles({ base, target, isOfTemplate }: Versions): Pair[] {
  const moves = new Map(
    findMoves(base.folder, target.folder).filter(([after, before]) => isOfTemplate(after) && isOfTemplate(before)),
  )
  const moved = new Set(moves.values())
  const removed = [...base.files].filter((file) => !target.files.has(file) && !moved.has(file))
  return [
    ...[...target.files].map((after) => ({
      before: moves.get(after) ?? (base.files.has(after) ? after : null),
      after,
    })),
    ...removed.map((before) => ({ before, after: null })),
  ]
}

/** Whether the project has the file, at its former or its new path. */
export function hasFile(project: string, { before, after }: Pair): boolean {
  return [before, after].some((file) => file !== null && existsSync(join(project, file)))
}

/** Returns the folder of a plugin that the owner has written, if the file lies in it or would; undefined otherwise. */
export function findProjectPlugin(file: string, { project, base }: Versions): string | undefined {
  const [, plugin] = /^(plugins\/[^/]+)\//.exec(file) ?? []
  const isOfProject = plugin && existsSync(join(project, plugin)) && !hasFilesIn(base, plugin)
  return isOfProject ? plugin : undefined
}

export function hasFilesIn({ files }: Snapshot, folder: string): boolean {
  return [...files].some((file) => file.startsWith(`${folder}/`))
}

/** Finds the files that the template has moved, by similar content: new and former path. */
function findMoves(before: string, after: string): [string, string][] {
  const options = ['--no-index', '--find-renames=75%', '-l5000', '--diff-filter=R', '--name-status', '-z']
  // The exit code is 1 if there are differences.
  const { stdout } = spawnGit(before, ['diff', ...options, before, after])
  const fields = stdout.toString().split('\0')
  const moves: [string, string][] = []
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [from = '', to = ''] = fields.slice(index + 1)
    moves.push([to.slice(after.length + 1), from.slice(before.length + 1)])
  }
  return moves
}
