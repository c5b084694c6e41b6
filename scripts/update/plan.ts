import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findAbsentFiles } from './absent-files.ts'
import { mergeText } from './merge-text.ts'
import { type Pair, pairFiles, type Versions } from './pairs.ts'

export type Result = 'replaced' | 'merged' | 'added' | 'removed' | 'conflict' | 'skipped' | 'absent' | 'rewritten'

/** What an update does to a file. */
export interface Change {
  readonly path: string
  readonly result: Result
  /** The new content; null removes the file; undefined leaves it as it is. */
  readonly content?: Buffer | null
  /** Why a file is a conflict or is skipped. */
  readonly note?: string
}

/** Plans the three-way merge of every file that the template owns. */
export function planChanges(versions: Versions): Change[] {
  const pairs = pairFiles(versions)
  const { skipped, missingImport } = findAbsentFiles(pairs, versions)
  const isOurs = (file: string | null) => file === null || versions.isOfTemplate(file)
  return pairs
    .filter(({ before, after }) => isOurs(before) && isOurs(after))
    .flatMap((pair) => {
      const reason = pair.after !== null && skipped.get(pair.after)
      if (reason) return [{ path: pair.after as string, result: 'skipped', note: reason }] satisfies Change[]
      const missing = missingImport(pair)
      return planPair(pair, versions).map((change) => (missing ? toMissingImport(change, missing) : change))
    })
}

/** A removed plugin of which the new version of a file makes use. */
function toMissingImport(change: Change, missing: string): Change {
  if (!change.content) return change
  return { ...change, result: 'conflict', note: `imports ${missing}, which the project does not have` }
}

function planPair(pair: Pair, versions: Versions): Change[] {
  const { project, base, target } = versions
  const read = (folder: string, file: string | null) => {
    return file !== null && existsSync(join(folder, file)) ? readFileSync(join(folder, file)) : null
  }
  const ours = read(project, pair.before) ?? read(project, pair.after)
  const before = read(base.folder, pair.before)
  const after = read(target.folder, pair.after)
  const path = (pair.after ?? pair.before) as string
  if (after === null) return planRemoval(path, ours, before)
  if (ours === null) return [before ? { path, result: 'absent' } : { path, result: 'added', content: after }]
  const changes = planContent(path, { ours, before, after }, `template ${target.version}`)
  const { before: former } = pair
  if (former === null || former === path || !existsSync(join(project, former))) return changes
  const moved: Change[] = changes.length > 0 ? changes : [{ path, result: 'replaced', content: ours }]
  return [{ path: former, result: 'removed', content: null }, ...moved]
}

function planRemoval(path: string, ours: Buffer | null, before: Buffer | null): Change[] {
  if (ours === null || before === null) return []
  if (ours.equals(before)) return [{ path, result: 'removed', content: null }]
  return [{ path, result: 'conflict', note: 'removed in the template, edited here; kept' }]
}

interface Contents {
  readonly ours: Buffer
  readonly before: Buffer | null
  readonly after: Buffer
}

function planContent(path: string, { ours, before, after }: Contents, label: string): Change[] {
  if (ours.equals(after)) return []
  if (before?.equals(ours)) return [{ path, result: 'replaced', content: after }]
  if (before?.equals(after)) return []
  const { content, conflicts } = mergeText(ours, before ?? Buffer.alloc(0), after, label)
  if (content === null)
    return [{ path, result: 'conflict', note: 'binary file, changed here and in the template; kept' }]
  if (conflicts === 0) return [{ path, result: 'merged', content }]
  const note = before ? `${conflicts} conflict${conflicts > 1 ? 's' : ''}` : 'added here and in the template'
  return [{ path, result: 'conflict', content, note }]
}
