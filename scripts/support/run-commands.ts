import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

/** A program of node_modules, a TypeScript file of the project, `node` or `npm`, with arguments. */
export type Command = readonly [program: string, ...args: string[]]

const programs: Readonly<Record<string, string>> = {
  biome: 'node_modules/@biomejs/biome/bin/biome',
  mocha: 'node_modules/mocha/bin/mocha.js',
  tsc: 'node_modules/typescript/bin/tsc',
}

/** Runs commands in order, and stops at the first that fails. Returns its exit code, or 0. */
export function runInOrder(commands: readonly Command[]): number {
  for (const command of commands) {
    if (commands.length > 1) console.log(`\n> ${command.join(' ')}`)
    const code = run(command)
    if (code !== 0) return code
  }
  return 0
}

/** Runs a command in the project, with its output on the terminal, and returns its exit code. No shell reads its arguments. */
export function run([program, ...args]: Command): number {
  const options = { cwd: root, stdio: 'inherit' } as const
  const { status } =
    program === 'npm'
      ? spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
      : spawnSync(
          process.execPath,
          program === 'node' ? args : [join(root, programs[program] ?? program), ...args],
          options,
        )
  return status ?? 1
}

/** Whether a file of the project exists. */
export function hasFile(file: string): boolean {
  return existsSync(join(root, file))
}
