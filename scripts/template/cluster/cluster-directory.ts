import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessOptions } from './cluster-process.ts'

/** A temporary directory for the data, settings and logs of a cluster. */
export interface ClusterDirectory {
  file(name: string): string
  /** The user of servers that refuse to run as root; empty if the current user is not root. */
  readonly unprivileged: Pick<ProcessOptions, 'user'>
  remove(): void
}

const unprivilegedUser = { uid: 65_534, gid: 65_534 }

export function createClusterDirectory(): ClusterDirectory {
  const path = mkdtempSync(join(tmpdir(), 'cluster-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(path, unprivilegedUser.uid, unprivilegedUser.gid)
  return {
    file: (name) => join(path, name),
    unprivileged: isRoot ? { user: unprivilegedUser } : {},
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
