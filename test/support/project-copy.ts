import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './app.ts'

/** Copies files and folders of the project into a temporary directory with its packages; the caller removes it. */
export function copyProject(parts: readonly string[], filter: (file: string) => boolean = () => true): string {
  const copy = mkdtempSync(join(tmpdir(), 'copy-'))
  const isSource = (file: string) => basename(file) !== 'node_modules' && filter(file)
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true, filter: isSource })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Returns the errors of the compiler, one per line. */
export async function compile(copy: string): Promise<string[]> {
  const { stdout } = await run(copy, [join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false'])
  return stdout.split('\n').filter((line) => /^\S/.test(line))
}

export interface ProcessResult {
  /** Undefined when the exit code is 0. */
  readonly code?: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a script of the copy, or of a package, in the copy. */
export function run(
  copy: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<ProcessResult> {
  const env = { PATH: process.env.PATH, ...variables }
  return promisify(execFile)(process.execPath, args, { cwd: copy, env, maxBuffer: 2 ** 26 }).catch((failed) => failed)
}
