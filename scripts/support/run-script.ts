import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Runs a script of the project, with its output on the terminal. */
export function runScript(root: string, name: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(root, 'scripts', name), ...args], { cwd: root, stdio: 'inherit' })
}
