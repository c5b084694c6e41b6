import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '#test/support/app.ts'
import { type ProcessResult, runNode } from './run-node.ts'

// Small git repositories for the tests of npm run update.

/** Contents by path; null removes a file. */
export type Files = Readonly<Record<string, string | null>>

export interface Repository {
  readonly folder: string
  write(files: Files): void
  /** Returns null if the file does not exist. */
  read(file: string): string | null
  /** Commits all files and returns the commit. */
  commit(message: string): string
  git(...args: readonly string[]): string
}

/** Creates a git repository with the files as its first commit. */
export function createRepository(files: Files): Repository {
  const repository = repositoryIn(temporaryFolder())
  repository.git('init', '--quiet', '--initial-branch=main')
  repository.write(files)
  repository.commit('first commit')
  return repository
}

export function cloneRepository(source: Repository, ref = 'main'): Repository {
  const repository = repositoryIn(temporaryFolder())
  repository.git('clone', '--quiet', source.folder, '.')
  repository.git('checkout', '--quiet', '-B', 'main', ref)
  return repository
}

/** Runs npm run update of this repository for a project. */
export function update(project: Repository, ...args: readonly string[]): Promise<ProcessResult> {
  return runNode([join(root, 'scripts/update.ts'), '--project', project.folder, ...args], { cwd: project.folder })
}

export function repositoryIn(folder: string): Repository {
  const git = (...args: readonly string[]) => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']
    return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 }).trimEnd()
  }
  return {
    folder,
    git,
    write: (files) => {
      for (const [file, content] of Object.entries(files)) writeFile(join(folder, file), content)
    },
    read: (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : null),
    commit: (message) => {
      git('add', '--all')
      git('commit', '--quiet', '--allow-empty', '--message', message)
      return git('rev-parse', 'HEAD')
    },
  }
}

const folders: string[] = []

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'repository-')))
  folders.push(folder)
  return folder
}

export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

function writeFile(file: string, content: string | null): void {
  if (content === null) rmSync(file, { recursive: true })
  else {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}
