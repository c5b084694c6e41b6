import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '#test/support/app.ts'
import { runCompiler } from './project-copy.ts'

// Files that are compiled and never run. Every invalid line has a directive with the expected message; a copy without the
// directives must have exactly these errors.

/** The lines of the files of a folder. */
export type Sources = ReadonlyMap<string, readonly string[]>

export function readSources(folder: string): Sources {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.ts'))
  return new Map(files.map((file) => [file, readFileSync(join(root, folder, file), 'utf8').split('\n')]))
}

/** The errors of the copy of a file, as expected messages where they contain them. */
export function reportedErrors(file: string, lines: readonly string[], errors: readonly CompilerError[]): string[] {
  const found = errors.filter((error) => error.folder === 'without-directives' && error.file === file)
  return found.map(({ line, text }) => {
    const directive = directivesIn(lines).find((candidate) => candidate.line === line)
    return directive && text.includes(directive.message) ? `${line}: ${directive.message}` : `${line}: ${text}`
  })
}

export interface Directive {
  /** The index of the line of the directive. */
  readonly at: number
  /** The number of the invalid line in a copy without directives. */
  readonly line: number
  /** The expected part of the message. */
  readonly message: string
}

/** The lines that must not compile. */
export function directivesIn(lines: readonly string[]): Directive[] {
  const found = lines.flatMap((line, at) => {
    const [, message] = /^\s*\/\/ @ts-expect-error (.+)$/.exec(line) ?? []
    return message === undefined ? [] : [{ at, message }]
  })
  return found.map((directive, index) => ({ ...directive, line: directive.at - index + 1 }))
}

export interface CompilerError {
  readonly folder: string
  readonly file: string
  readonly line: number
  /** The message with its explaining lines. */
  readonly text: string
}

/** Compiles files as they are, and beside them copies without directives. */
export async function compileBoth(sources: Sources): Promise<CompilerError[]> {
  const directory = mkdtempSync(join(tmpdir(), 'types-'))
  try {
    for (const name of ['app', 'clients', 'plugins', 'resources', 'test', 'node_modules', 'package.json']) {
      symlinkSync(join(root, name), join(directory, name))
    }
    for (const folder of ['with-directives', 'without-directives']) mkdirSync(join(directory, folder))
    for (const [file, lines] of sources) {
      const directives = new Set(directivesIn(lines).map(({ at }) => at))
      writeFileSync(join(directory, 'with-directives', file), lines.join('\n'))
      writeFileSync(
        join(directory, 'without-directives', file),
        lines.filter((_, index) => !directives.has(index)).join('\n'),
      )
    }
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
    const files = ['app/plugins.ts', 'app/store/kernel-types.ts']
    const config = { compilerOptions, include: ['with-directives', 'without-directives'], files }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
    return readErrors(await runCompiler(directory))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function readErrors(output: string): CompilerError[] {
  const blocks = output.split(/\n(?=\S)/).filter((block) => block.trim())
  return blocks.map((text) => {
    const [, folder = '', file = '', line = ''] = /^([\w-]+)\/(\S+)\((\d+),\d+\): error/.exec(text) ?? []
    return { folder, file, line: Number(line), text: text.trimEnd() }
  })
}
