import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readManifest } from '../manifest/manifest.ts'

/** A version of the template, extracted into a temporary folder. */
export interface Snapshot {
  readonly folder: string
  readonly version: string
  /** Null for a folder or an archive. */
  readonly commit: string | null
  readonly files: ReadonlySet<string>
}

/** Folders and files that a working copy of the template has besides its sources. */
export const notSources: readonly string[] = ['.git', 'node_modules', '.data', '.warm', 'coverage', '.env']

export function readSnapshot(folder: string, commit: string | null): Snapshot {
  return { folder, commit, version: readVersion(folder), files: new Set(filesIn(folder)) }
}

/** Copies a version to a folder, where its files may be changed. */
export function copySnapshot({ folder, commit }: Snapshot, to: string): Snapshot {
  cpSync(folder, to, { recursive: true })
  return readSnapshot(to, commit)
}

/** Describes a version in messages: `0.2.0 (1a2b3c4)`. */
export function describeVersion({ version, commit }: Snapshot): string {
  return commit ? `${version} (${commit.slice(0, 7)})` : version
}

/** Versions before the first manifest have only the version of package.json. */
function readVersion(folder: string): string {
  return readManifest(folder)?.version ?? JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
}
