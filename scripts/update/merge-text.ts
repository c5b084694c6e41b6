import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnGit, TemplateError } from '../manifest/git.ts'

interface MergedText {
  /** The merged text with conflict markers; null if the file is binary. */
  readonly content: Buffer | null
  readonly conflicts: number
}

/** Merges the changes of two versions of a file since their common base. */
export function mergeText(ours: Buffer, base: Buffer, theirs: Buffer, label: string): MergedText {
  const folder = mkdtempSync(join(tmpdir(), 'merge-'))
  try {
    writeFileSync(join(folder, 'ours'), ours)
    writeFileSync(join(folder, 'base'), base)
    writeFileSync(join(folder, 'theirs'), theirs)
    const labels = ['yours', 'base', label].flatMap((name) => ['-L', name])
    const { status, stdout, stderr } = spawnGit(folder, ['merge-file', '-p', ...labels, 'ours', 'base', 'theirs'])
    if (status !== null && status <= 127) return { content: stdout, conflicts: status }
    if (/binary/i.test(stderr.toString())) return { content: null, conflicts: 1 }
    throw new TemplateError(`git merge-file: ${stderr.toString().trim()}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
