import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { removePart } from '../support/remove-part.ts'

/** An error of the compiler: `resources/albums/resource.ts:14: Property 'sortable' does not exist …`. */
export interface CompilerError {
  readonly file: string
  readonly line: number
  readonly message: string
}

/** The state of the compiler that `npm run check -- types` writes. */
const buildInfo = '.warm/types.tsbuildinfo'

const parts = [
  '.template',
  'app',
  'clients',
  'examples',
  'plugins',
  'resources',
  'scripts',
  'test',
  'package.json',
  'tsconfig.json',
  buildInfo,
]

/** Calls a function with a copy of the sources of a project, and removes the copy. */
export function withCopy<T>(root: string, work: (copy: string) => T): T {
  const copy = mkdtempSync(join(tmpdir(), 'plugin-remove-'))
  try {
    const filter = (file: string) => basename(file) !== 'node_modules'
    for (const part of parts.filter((name) => existsSync(join(root, name)))) {
      cpSync(join(root, part), join(copy, part), { recursive: true, filter })
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    return work(copy)
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** Removes files from a project, and writes edited ones. */
export function writeChanges(root: string, gone: Iterable<string>, edited: ReadonlyMap<string, string>): void {
  for (const part of gone) removePart(root, part)
  for (const [file, source] of edited) if (existsSync(join(root, file))) writeFileSync(join(root, file), source)
}

/**
 * Compiles a project and returns its errors. Files that no change affects since the last run, or since `npm run check -- types`, are
 * not compiled again: in a copy, the paths of packages must not lead out of it.
 */
export function compile(root: string): CompilerError[] {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const incremental = ['--incremental', '--tsBuildInfoFile', buildInfo, '--preserveSymlinks']
  return readErrors(run([tsc, '--pretty', 'false', ...incremental], root))
}

function readErrors(output: string): CompilerError[] {
  return [...output.matchAll(/^(\S+)\((\d+),\d+\): error \w+: (.*)$/gm)].map(([, file = '', line, message = '']) => {
    return { file, line: Number(line), message }
  })
}

/** Returns the output of a script, also if it exits with another code than 0. */
function run(args: readonly string[], cwd: string): string {
  try {
    return execFileSync(process.execPath, args, {
      cwd,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  } catch (error) {
    const { status, stdout } = error as { status: number | null; stdout: string }
    if (status === null || !/^\S+\(\d+,\d+\): error /m.test(stdout)) throw error
    return stdout
  }
}
