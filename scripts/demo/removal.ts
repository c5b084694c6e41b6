import { type Imports, orphansOf, readImports, withImporters } from '../support/imports.ts'
import { removePart } from '../support/remove-part.ts'
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
  for (const part of [...demoParts, ...gone]) removePart(root, part)
  writeEdits(root, edits)
}
