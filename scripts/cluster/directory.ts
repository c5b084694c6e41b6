import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Program } from './part.ts'

/** The temporary directory of a cluster; deleted with it. */
export interface ClusterDirectory {
  file(name: string): string
  /** The user of programs that refuse to run as root. */
  readonly unprivileged: Pick<Program, 'user'>
  remove(): void
}

const nobody = { uid: 65_534, gid: 65_534 }

export function createClusterDirectory(): ClusterDirectory {
  const directory = mkdtempSync(join(tmpdir(), 'cluster-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(directory, nobody.uid, nobody.gid)
  return {
    file: (name) => join(directory, name),
    unprivileged: isRoot ? { user: nobody } : {},
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
