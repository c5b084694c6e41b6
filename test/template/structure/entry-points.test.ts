import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'

// The entry points of the kernel for plugins. docs/architecture.md says what each is for.

/** The most names that each may export. `#kernel/plugin` is read by every author of a plugin. */
const limits: Readonly<Record<string, number>> = { plugin: 120, errors: 75, queries: 55, operations: 72 }

/** Names that owners use, although no plugin of the template does. */
const forOwners = ['addLogFields']

/** Errors that the kernel alone throws: the list is the error catalogue. */
const ofCatalogue = ['applicationError', 'noResourceRegistered']

describe('Entry points of the kernel for plugins', () => {
  const importers = globSync('{app,plugins,resources,scripts}/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('app/kernel/'))
    .map(read)

  for (const [name, limit] of Object.entries(limits)) {
    const names = listExports(`app/kernel/${name}.ts`)

    it(`#kernel/${name} exports at most ${limit} names`, () => {
      expect(names).to.include(examples[name])
      expect(names.length).to.be.at.most(limit)
    })

    it(`#kernel/${name} exports only names that the application, a plugin or a script imports`, () => {
      const used = new Set(importers.flatMap((source) => importedFrom(source, `#kernel/${name}`)))
      expect(names.filter((exported) => ![...used, ...forOwners, ...ofCatalogue].includes(exported))).to.deep.equal([])
    })

    it(`#kernel/${name} is described in docs/architecture.md`, () => {
      expect(read('docs/architecture.md')).to.include(`| \`#kernel/${name}\` |`)
    })
  }

  it('have headings with a blank line after them, without which the formatter moves exports across headings', () => {
    const attached = Object.keys(limits).flatMap((name) =>
      [...read(`app/kernel/${name}.ts`).matchAll(/^(\/\/ .*)\nexport/gm)].map(([, heading]) => `${name}: ${heading}`),
    )
    expect(attached).to.deep.equal([])
  })

  it('have no name in common', () => {
    const names = Object.keys(limits).flatMap((name) => listExports(`app/kernel/${name}.ts`))
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([])
  })
})

/** A name that each entry point exports, so that a fault of this test does not pass as an empty list. */
const examples: Readonly<Record<string, string>> = {
  plugin: 'Plugin',
  errors: 'validationFailed',
  queries: 'Condition',
  operations: 'dispatch',
}

function listExports(file: string): string[] {
  const source = read(file)
  const listed = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => namesIn(list))
  const starred = [...source.matchAll(/^export \* from '([^']+)'/gm)].flatMap(([, from = '']) =>
    [...read(join(dirname(file), from)).matchAll(/^export const (\w+)/gm)].map(([, name = '']) => name),
  )
  return [...listed, ...starred]
}

/** The names that a source imports from an entry point, and those that it adds members to. */
function importedFrom(source: string, door: string): string[] {
  const imports = [...source.matchAll(/\b(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/g)]
  const merged = [...source.matchAll(/^declare module '([^']+)' \{\n(.*?)^\}/gms)]
  return [
    ...imports.flatMap(([, list = '', from]) => (from === door ? namesIn(list) : [])),
    ...merged.flatMap(([, name, body = '']) =>
      name === door ? [...body.matchAll(/^ {2}interface (\w+)/gm)].map(([, added = '']) => added) : [],
    ),
  ]
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*/, ''),
    )
    .filter(Boolean)
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
