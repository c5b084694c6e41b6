import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Imports, readImports } from '../support/imports.ts'
import { findProjectPlugin, hasFile, hasFilesIn, type Pair, type Versions } from './pairs.ts'

interface AbsentFiles {
  /** New files that are not added, with the reason. */
  readonly skipped: ReadonlyMap<string, string>
  /** Returns an absent file that the new version of a file imports, and its former version did not. */
  missingImport(pair: Pair): string | undefined
}

/** Finds the files that the project does not have after the update: removed plugins, a removed demo, and their importers. */
export function findAbsentFiles(pairs: readonly Pair[], versions: Versions): AbsentFiles {
  const imports = readImports(versions.target.folder)
  const former = readImports(versions.base.folder)
  const skipped = new Map<string, string>()
  const absent = new Set<string>()
  const added: string[] = []
  for (const pair of pairs) {
    if (pair.after === null) continue
    const plugin = findProjectPlugin(pair.after, versions)
    if (plugin) skipped.set(pair.after, `${plugin} is yours; the template has a new plugin of the same name`)
    if (plugin || hasFile(versions.project, pair)) continue
    const reason = reasonToSkip(pair, versions)
    if (reason) skipped.set(pair.after, reason)
    if (reason || pair.before !== null || !versions.isOfTemplate(pair.after)) absent.add(pair.after)
    else added.push(pair.after)
  }
  skipImporters(added, imports, absent, skipped)
  return {
    skipped,
    missingImport: ({ before, after }) => {
      const formerImports = (before !== null && former.get(before)) || []
      return imports.get(after ?? '')?.find((file) => absent.has(file) && !formerImports.includes(file))
    },
  }
}

function skipImporters(
  added: readonly string[],
  imports: Imports,
  absent: Set<string>,
  skipped: Map<string, string>,
): void {
  for (let before = -1; before < absent.size; ) {
    before = absent.size
    for (const file of added) {
      const missing = absent.has(file) ? undefined : imports.get(file)?.find((other) => absent.has(other))
      if (missing === undefined) continue
      skipped.set(file, `it imports ${missing}, which the project does not have`)
      absent.add(file)
    }
  }
}

/** Returns why a new file is not added, or null. */
function reasonToSkip({ before, after }: Pair, { project, base, isOfTemplate }: Versions): string | null {
  if (before !== null || after === null || !isOfTemplate(after)) return null
  let folder = dirname(after)
  while (folder !== '.' && !hasFilesIn(base, folder)) folder = dirname(folder)
  if (folder === '.') return null
  const isLeft = [...base.files].some((file) => file.startsWith(`${folder}/`) && existsSync(join(project, file)))
  return isLeft ? null : `${folder} was removed from the project`
}
