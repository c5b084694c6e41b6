import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { scalarKinds } from '#app/kernel/model/field.ts'
import { plugins } from '#app/plugins.ts'
import { declarationKeys } from '#kernel/plugin'
import { root } from '#test/support/app.ts'

// Compiles test/types, which is never run. Every invalid line has a directive with the expected message; a copy without
// the directives must have exactly these errors.

const files = readdirSync(join(root, 'test/types')).filter((file) => file.endsWith('.ts'))
const sources = new Map(files.map((file) => [file, readFileSync(join(root, 'test/types', file), 'utf8').split('\n')]))

describe('Types of declarations', () => {
  let errors: readonly CompilerError[]
  before(async () => {
    errors = await compileBoth()
  })

  it('accept every valid declaration of test/types, and every @ts-expect-error has an error', () => {
    expect(errors.filter(({ folder }) => folder === 'with-directives').map(({ text }) => text)).to.deep.equal([])
  })

  for (const [file, lines] of sources) {
    if (directivesIn(lines).length === 0) continue
    it(`reject every invalid line of ${file} with the expected message`, () => {
      const expected = directivesIn(lines).map(({ line, message }) => `${line}: ${message}`)
      const found = errors.filter((error) => error.folder === 'without-directives' && error.file === file)
      const reported = found.map(({ line, text }) => {
        const directive = directivesIn(lines).find((candidate) => candidate.line === line)
        return directive && text.includes(directive.message) ? `${line}: ${directive.message}` : `${line}: ${text}`
      })
      expect(reported).to.deep.equal(expected)
    })
  }

  it('explain in a sentence why a field name is invalid', () => {
    const text = errors.map((error) => error.text).join('\n')
    expect(text).to.include(`Type '"'titel' is not a property of the entity; say storedAs() or computed()."'`)
    expect(text).to.include(`Type '"'band' is a relation of the entity, not an attribute."'`)
    expect(text).to.include(`Type '"'bands' is not a to-one relation of the entity (is it declared with .ref()?)."'`)
    expect(text).to.include(`Type '"'band' is not a collection of the entity."'`)
    expect(text).to.include(`Type '"The property 'plays' does not hold what a 'string' field holds."'`)
  })
})

describe('Files of test/types', () => {
  const valid = [...sources.values()].flatMap((lines) => {
    const skipped = new Set(directivesIn(lines).flatMap(({ at }) => [at, at + 1]))
    return lines.filter((_, index) => !skipped.has(index))
  })
  const invalid = [...sources.values()].flatMap((lines) => directivesIn(lines).map(({ at }) => lines[at + 1] ?? ''))
  const vocabulary = ['builders', 'modifiers'].map((name) =>
    readFileSync(join(root, `app/kernel/model/${name}.ts`), 'utf8'),
  )
  const words = new Set<string>([
    ...scalarKinds,
    ...[...vocabulary.join('\n').matchAll(/^ {2}(\w+)(?:<.*>)?\(/gm)].map(([, word]) => word as string),
    ...plugins.flatMap(({ modifiers = {} }) => Object.values(modifiers).flatMap((table) => Object.keys(table))),
  ])
  const keys = new Set([...declarationKeys, ...plugins.flatMap((plugin) => plugin.keys ?? [])])

  it('contains a valid and an invalid use of every builder and modifier', () => {
    expect([...words])
      .to.include('storedAs')
      .and.to.include('belongsTo')
      .and.to.include('maxLength')
    const wordsIn = (lines: readonly string[]) =>
      new Set(lines.flatMap((line) => [...line.matchAll(/\b(\w+)\(/g)].map(([, word]) => word)))
    const [used, misused] = [wordsIn(valid), wordsIn(invalid)]
    expect([...words].filter((word) => !used.has(word))).to.deep.equal([])
    expect([...words].filter((word) => !misused.has(word))).to.deep.equal([])
  })

  it('contains a valid and an invalid use of every key', () => {
    expect([...keys])
      .to.include('fields')
      .and.to.include('policy')
    const keysIn = (lines: readonly string[]) =>
      new Set(lines.flatMap((line) => [...line.matchAll(/\b(\w+)(?=:|\()/g)].map(([, key]) => key)))
    const [used, misused] = [keysIn(valid), keysIn(invalid)]
    expect([...keys].filter((key) => !used.has(key))).to.deep.equal([])
    expect([...keys].filter((key) => !misused.has(key))).to.deep.equal([])
  })
})

interface Directive {
  /** The index of the line of the directive. */
  readonly at: number
  /** The number of the invalid line in a copy without directives. */
  readonly line: number
  /** The expected part of the message. */
  readonly message: string
}

function directivesIn(lines: readonly string[]): Directive[] {
  const found = lines.flatMap((line, at) => {
    const [, message] = /^\s*\/\/ @ts-expect-error (.+)$/.exec(line) ?? []
    return message === undefined ? [] : [{ at, message }]
  })
  return found.map((directive, index) => ({ ...directive, line: directive.at - index + 1 }))
}

interface CompilerError {
  readonly folder: string
  readonly file: string
  readonly line: number
  /** The message with its explaining lines. */
  readonly text: string
}

/** Compiles test/types as it is, and beside it a copy without directives. */
async function compileBoth(): Promise<CompilerError[]> {
  const directory = mkdtempSync(join(tmpdir(), 'types-'))
  try {
    for (const name of ['app', 'plugins', 'resources', 'test', 'node_modules', 'package.json']) {
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
    const config = { compilerOptions, include: ['with-directives', 'without-directives'], files: ['app/plugins.ts'] }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '--pretty', 'false'], {
      cwd: directory,
    }).catch((failed) => failed)
    return readErrors(stdout)
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
