import { existsSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'

export const ownedFile = '.template/owned'
export const manifestFile = '.template/manifest.json'

/** Merged by keys; written by npm install; written by the commands of the template; written by npm run openapi -- diff. */
const shared = ['package.json', 'package-lock.json', manifestFile, 'docs/openapi/**']

/** Returns true for a file that the template owns. */
export type Ownership = (file: string) => boolean

/** Reads the globs of files that a project owns from the first folder that lists them. */
export function readOwnership(...folders: readonly string[]): Ownership {
  return toOwnership(readOwned(folders))
}

/** The template owns all files that no glob matches, except those that commands write. */
export function toOwnership(owned: readonly string[]): Ownership {
  const globs = [...shared, ...owned]
  return (file) => !globs.some((glob) => matchesGlob(file, glob))
}

function readOwned(folders: readonly string[]): string[] {
  const folder = folders.find((candidate) => existsSync(join(candidate, ownedFile)))
  if (!folder) return []
  const lines = readFileSync(join(folder, ownedFile), 'utf8').split('\n')
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
}
