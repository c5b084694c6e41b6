import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { git, TemplateError, tryGit } from '../manifest/git.ts'
import { compareVersions } from '../manifest/versions.ts'
import { notSources, readSnapshot, type Snapshot } from './snapshot.ts'

/** Where versions of the template come from. */
export interface Source {
  /** Extracts a version. Returns null if the source does not have it. */
  open(version: string, folder: string): Snapshot | null
  /** Extracts the newest release, or the default branch if there is none. */
  openNewest(folder: string): Snapshot
  /**
   * The merge base of a version with another history, whose commits are in topological order; null if they share no commit,
   * and for folders and archives.
   */
  mergeBase(version: Snapshot, commits: readonly string[]): string | null
  /** Whether a version contains all changes of another. */
  contains(later: Snapshot, earlier: Snapshot): boolean
}

/** Opens a git repository (path or URL), a folder or an archive. */
export function openSource(from: string, workspace: string): Source {
  if (!existsSync(from)) return openRepository(from, workspace)
  if (statSync(from).isFile()) return openFolder((folder) => unpack(from, folder))
  const isRepository = existsSync(join(from, '.git')) || existsSync(join(from, 'objects'))
  return isRepository ? openRepository(from, workspace) : openFolder((folder) => copy(from, folder))
}

function openRepository(from: string, workspace: string): Source {
  const repository = join(workspace, 'repository')
  git(workspace, 'clone', '--quiet', '--bare', '--', from, repository)
  const resolve = (name: string) => tryGit(repository, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`)
  const extract = (commit: string, folder: string) => {
    const archive = `${folder}.tar`
    git(repository, 'archive', '--format=tar', `--output=${archive}`, commit)
    return readSnapshot(unpack(archive, folder), commit)
  }
  const newest = () => git(repository, 'tag', '--list', 'v[0-9]*').split('\n').sort(byVersion).at(-1) || 'HEAD'
  return {
    open: (version, folder) => {
      const commit = resolve(`refs/tags/v${version}`) ?? resolve(version)
      return commit ? extract(commit, folder) : null
    },
    openNewest: (folder) => extract(git(repository, 'rev-parse', `${newest()}^{commit}`), folder),
    mergeBase: ({ commit }, commits) => {
      const history = new Set(git(repository, 'rev-list', String(commit)).split('\n'))
      return commits.find((other) => history.has(other)) ?? null
    },
    contains: (later, earlier) =>
      tryGit(repository, 'merge-base', '--is-ancestor', String(earlier.commit), String(later.commit)) !== null,
  }
}

function openFolder(extract: (folder: string) => string): Source {
  const openNewest = (folder: string) => readSnapshot(extract(folder), null)
  return {
    open: (version, folder) => {
      const snapshot = openNewest(folder)
      return snapshot.version === version ? snapshot : null
    },
    openNewest,
    mergeBase: () => null,
    contains: (later, earlier) => compareVersions(later.version, earlier.version) > 0,
  }
}

function byVersion(left: string, right: string): number {
  return compareVersions(left.slice(1), right.slice(1))
}

function copy(from: string, folder: string): string {
  cpSync(from, folder, { recursive: true, filter: (file) => !notSources.includes(basename(file)) })
  return folder
}

/** Returns the folder with package.json: archives of a hosting service have one folder around the files. */
function unpack(archive: string, folder: string): string {
  mkdirSync(folder, { recursive: true })
  const { status, stderr } = spawnSync('tar', ['-xf', archive, '-C', folder], { encoding: 'utf8' })
  if (status !== 0) throw new TemplateError(`${archive} is not a tar archive (.tar, .tar.gz): ${stderr?.trim()}`)
  const [only, ...others] = readdirSync(folder)
  return only && others.length === 0 ? join(folder, only) : folder
}
