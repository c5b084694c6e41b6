import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { git, TemplateError } from '../manifest/git.ts'
import type { Versions } from './pairs.ts'
import type { Change } from './plan.ts'

/** An update that is not committed yet, stored in the git folder. */
interface Progress {
  /** The commit of the project before the update. */
  readonly head: string
  /** The files that existed before, which the update changes or removes. */
  readonly changed: readonly string[]
  readonly added: readonly string[]
}

/** Writes the planned changes. The list of files is stored before, so that the update can be aborted at any time. */
export function applyChanges(
  { project, target }: Versions,
  changes: readonly Change[],
  generated: readonly string[],
): void {
  const written = changes.filter(({ content }) => content !== undefined)
  const paths = [...written.map(({ path }) => path), ...generated]
  const tracked = new Set(git(project, 'ls-files', '-z').split('\0'))
  const progress: Progress = {
    head: git(project, 'rev-parse', 'HEAD'),
    changed: paths.filter((path) => tracked.has(path)),
    added: paths.filter((path) => !existsSync(join(project, path))),
  }
  writeFileSync(progressFile(project), JSON.stringify(progress))
  for (const { path, content } of written) {
    if (content) write(join(project, path), content, join(target.folder, path))
    else remove(project, path)
  }
}

/** Restores all files that the update has written, as they were committed before it. */
export function abortUpdate(project: string): Progress {
  const progress = readProgress(project)
  if (!progress)
    throw new TemplateError('There is no update to abort: the last update is committed, or there was none.')
  if (progress.changed.length > 0) git(project, 'checkout', progress.head, '--', ...progress.changed)
  for (const path of progress.added) {
    git(project, 'rm', '--cached', '--quiet', '--ignore-unmatch', '--', path)
    remove(project, path)
  }
  rmSync(progressFile(project))
  return progress
}

/** Returns null if no update is in progress: it is committed, or there was none. */
export function readProgress(project: string): Progress | null {
  const file = progressFile(project)
  if (!existsSync(file)) return null
  const progress: Progress = JSON.parse(readFileSync(file, 'utf8'))
  return progress.head === git(project, 'rev-parse', 'HEAD') ? progress : null
}

function progressFile(project: string): string {
  return resolve(project, git(project, 'rev-parse', '--git-path', 'template-update.json'))
}

/** Writes a file with the mode that it has in the template. */
function write(file: string, content: Buffer, source: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  if (existsSync(source)) chmodSync(file, statSync(source).mode)
}

/** Removes a file, and folders that are empty then. */
function remove(project: string, path: string): void {
  rmSync(join(project, path), { force: true })
  for (let folder = dirname(path); folder !== '.' && isEmpty(join(project, folder)); folder = dirname(folder)) {
    rmdirSync(join(project, folder))
  }
}

function isEmpty(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length === 0
}
