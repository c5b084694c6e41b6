import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, spawnGit, TemplateError } from './git.ts'
import { manifestFile } from './ownership.ts'

/** What `npm run init` keeps. It is stored in .template/manifest.json, so that an update does not bring the rest back. */
export interface Choice {
  /** The music catalogue. */
  readonly demo: boolean
  /** The tests and tools of the template's maintainers. */
  readonly tests: boolean
  /** Pages and commands about the template; kept in projects whose demo was removed before there was `npm run init`. */
  readonly pages: boolean
  /** The plugins; null keeps all. */
  readonly plugins: readonly string[] | null
}

/** The version of the template that a project is based on. */
export interface Manifest {
  readonly version: string
  /** The commit of the template. The manifest of a release has none, because it is part of the commit. */
  readonly commit?: string
  /** What `npm run init` has kept of the template; absent if it did not run. */
  readonly init?: Choice
  /** The git blob id of each file that the template owns. */
  readonly files: Readonly<Record<string, string>>
}

/** Returns null if the project is older than the first manifest. */
export function readManifest(folder: string): Manifest | null {
  const file = join(folder, manifestFile)
  if (!existsSync(file)) return null
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new TemplateError(`${manifestFile} is not valid JSON. Restore it: git checkout HEAD -- ${manifestFile}`)
  }
}

export function writeManifest(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, manifestFile), toJson(manifest))
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Returns the git blob ids of existing files. */
export function hashFiles(folder: string, files: readonly string[]): Record<string, string> {
  const { status, stdout, stderr } = spawnGit(folder, ['hash-object', '--stdin-paths'], files.join('\n'))
  if (status !== 0) throw new TemplateError(`git hash-object: ${stderr.toString().trim()}`)
  const hashes = stdout.toString().trim().split('\n')
  return Object.fromEntries(files.map((file, index) => [file, hashes[index] as string]))
}

/** Returns the git blob ids of the files of a commit. */
export function readHashes(folder: string, commit: string): Record<string, string> {
  const entries = git(folder, 'ls-tree', '-r', '-z', commit).split('\0').filter(Boolean)
  return Object.fromEntries(
    entries.map((entry) => {
      const [mode = '', path = ''] = entry.split('\t')
      return [path, mode.split(' ')[2] as string]
    }),
  )
}
