import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'

// The directions of imports, which docs/architecture.md describes. A fault says what to do.

const aliases: [string, string][] = Object.entries(JSON.parse(read('package.json')).imports)

/** What resources and the files of app/ may import of the application and of plugins. */
const entryPoints =
  /^app\/(?:kernel\/(?:[\w-]+|boot\/[\w-]+)|[\w-]+\/index|api-types\/[\w-]+)\.ts$|^plugins\/[^/]+\/index\.ts$/

describe('Imports', () => {
  it('refer to existing files', () => {
    const faults = importsIn('{app,plugins,resources,scripts,test}/**/*.ts').flatMap(({ file, path }) =>
      existsSync(join(root, path))
        ? []
        : [`${file} imports ${path}, which does not exist. Create it, or remove the import.`],
    )
    expect(faults.filter((fault) => !fault.startsWith('test/template/'))).to.deep.equal([])
  })

  it('of resources are files of resources, app/*.ts and entry points of plugins and of the application', () => {
    const isAllowed = (path: string) => /^resources\/|^app\/[\w-]+\.ts$/.test(path) || entryPoints.test(path)
    const faults = importsIn('resources/**/*.ts').flatMap(({ file, path }) => {
      if (isTest(file) || isAllowed(path)) return []
      return [
        `${file} imports ${path}. Import '#kernel', an index.ts of plugins/ or app/, or move shared code to resources/shared/.`,
      ]
    })
    expect(faults).to.deep.equal([])
  })

  it('of plugins are their own files, entry points of the application, and the index.ts of plugins that they require', () => {
    const faults = importsIn('plugins/**/*.ts').flatMap(({ file, path }) => {
      const [folder = ''] = /^plugins\/[^/]+\//.exec(file) ?? []
      if (isTest(file) || path.startsWith(folder) || entryPoints.test(path)) return []
      return [
        `${file} imports ${path}. Import '#kernel/plugin', or the index.ts of a plugin that it names in 'requires'.`,
      ]
    })
    expect(faults).to.deep.equal([])
  })

  it('of the application and of plugins are no resources', () => {
    const files = importsIn('{app/*/**,plugins/**}/*.ts').filter(({ file }) => !isTest(file))
    const faults = files.flatMap(({ file, path }) =>
      path.startsWith('resources/')
        ? [`${file} imports ${path}. Give it to the plugin as an option in app/plugins.ts.`]
        : [],
    )
    expect(faults).to.deep.equal([])
  })
})

interface Import {
  readonly file: string
  /** The imported file of the project. */
  readonly path: string
}

function importsIn(pattern: string): Import[] {
  const files = globSync(pattern, { cwd: root }).filter((file) => !/node_modules|clients\/generated/.test(file))
  return files.flatMap((file) => {
    const statements = read(file).matchAll(/^(?:import|export)\b(?:[^'"`;]*?\bfrom)? ?'([.#][^']+)'/gm)
    return [...statements].map(([, from = '']) => ({ file, path: resolvePath(file, from) }))
  })
}

function resolvePath(file: string, from: string): string {
  if (from.startsWith('.')) return join(dirname(file), from)
  const exact = aliases.find(([alias]) => alias === from)
  if (exact) return join(exact[1])
  const [alias = '', target = ''] =
    aliases.find(([name]) => name.endsWith('*') && from.startsWith(name.slice(0, -1))) ?? []
  return join(target.replace('*', from.slice(alias.length - 1)))
}

/** Tests and their helpers may import test/support/. */
function isTest(file: string): boolean {
  return /\.test\.ts$|\/test\/|\/factory\.ts$/.test(file)
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
