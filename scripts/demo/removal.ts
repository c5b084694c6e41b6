import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Imports, orphansOf, readImports, withImporters } from '../support/imports.ts'
import { type Edits, planEdits, writeEdits } from './edits.ts'
import { demoParts } from './parts.ts'

// Imports no package, because npm run update runs it for versions whose packages are not installed.

/** The files of the demo and the edits of files that mention it. */
export interface Removal {
  /** The sources of the demo, the sources that import them, and helpers that only those import. */
  readonly gone: ReadonlySet<string>
  readonly edits: Edits
  readonly imports: Imports
}

/** Plans the removal of the demo from the project in a folder. */
export function planRemoval(root: string): Removal {
  const imports = readImports(root)
  const gone = withImporters(demoParts, imports)
  for (const orphan of orphansOf(gone, imports)) gone.add(orphan)
  return { gone, edits: planEdits(root, gone), imports }
}

export function writeRemoval(root: string, { gone, edits }: Removal): void {
  for (const part of [...demoParts, ...gone]) remove(root, part)
  writeEdits(root, edits)
}

/** Removes a file, and folders that are empty then. */
function remove(root: string, part: string): void {
  rmSync(join(root, part), { recursive: true, force: true })
  let folder = dirname(part)
  while (folder !== '.' && existsSync(join(root, folder)) && readdirSync(join(root, folder)).length === 0) {
    rmSync(join(root, folder), { recursive: true })
    folder = dirname(folder)
  }
}
