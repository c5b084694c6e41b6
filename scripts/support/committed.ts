import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '#store'

/** Throws if the project has uncommitted changes, which could be lost. */
export function checkCommitted(root: string, hint = 'Or use --force.'): void {
  if (!existsSync(join(root, '.git'))) return
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (changes) throw new StartupError(`Commit these changes first. ${hint}\n${changes.trimEnd()}`)
}
