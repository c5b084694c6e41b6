import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root } from '#test/support/app.ts'
import { compiledCode, type ProcessResult, runNode } from './run-node.ts'

/** The files and folders of the project without its packages, its database, its .env and temporary files. */
export function projectParts(): string[] {
  return readdirSync(root).filter((part) => !/^(?:node_modules|\.git|\.data|\.env|\.warm|\..*-.*)$/.test(part))
}

/**
 * Copies files and folders of the project into a temporary directory with its packages; the caller removes it. The copy shares the
 * compile cache of the project, which Node checks by the content of files: the first process of a copy needs half of the CPU time.
 */
export function copyProject(parts: readonly string[], filter: (file: string) => boolean = () => true): string {
  const copy = mkdtempSync(join(tmpdir(), 'copy-'))
  const isSource = (file: string) => basename(file) !== 'node_modules' && filter(file)
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true, filter: isSource })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  mkdirSync(join(root, '.warm/compiled'), { recursive: true })
  mkdirSync(join(copy, '.warm'))
  symlinkSync(join(root, '.warm/compiled'), join(copy, '.warm/compiled'))
  return copy
}

/** Returns the errors of the compiler, one per line. */
export async function compile(copy: string, ...options: readonly string[]): Promise<string[]> {
  const output = await runCompiler(copy, ...options)
  return output.split('\n').filter((line) => /^\S/.test(line))
}

/** Returns the output of the compiler, which has one thread because other tests run beside it. */
export async function runCompiler(folder: string, ...options: readonly string[]): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await runNode([compiler, '--pretty', 'false', '--singleThreaded', ...options], { cwd: folder })
  return stdout
}

/** Runs a script of the copy, or of a package, in the copy. */
export function run(
  copy: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<ProcessResult> {
  return runNode(args, { cwd: copy, env: { ...compiledCode(copy), ...variables } })
}
