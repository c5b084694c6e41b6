import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Program } from './cluster-process.ts'

/** The directory in which the parts of a cluster keep what they need; it goes with them. */
export interface Place {
  file(name: string): string
  /** As whom servers run that refuse to be root. */
  readonly unprivileged: Pick<Program, 'user'>
  remove(): void
}

const nobody = { uid: 65_534, gid: 65_534 }

export function createPlace(): Place {
  const directory = mkdtempSync(join(tmpdir(), 'cluster-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(directory, nobody.uid, nobody.gid)
  return {
    file: (name) => join(directory, name),
    unprivileged: isRoot ? { user: nobody } : {},
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
