import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect } from 'chai'
import { discover } from '#discovery'
import type { Plugin } from '#kernel/plugin'
import { root } from '#test/support/app.ts'
import { isShipped, shippedPlugins } from '#test/template/support/shipped.ts'

// The allowed imports of every folder. A fault is reported as `file → imported file`.

const manifest = JSON.parse(read('package.json'))

const kernel = (...folders: readonly string[]) => folders.map((folder) => `app/kernel/${folder}/`)
const values = kernel('lib', 'errors', 'schema', 'data', 'contract')

/** The entry points of the kernel for plugins, and for parts of the application that work as plugins do. */
const doorsForPlugins = ['plugin', 'errors', 'queries', 'operations'].map((name) => `app/kernel/${name}.ts`)

/** For every folder of the application: the folders and files it may import from, besides itself. */
const directions: Readonly<Record<string, readonly string[]>> = {
  'app/kernel/lib': [],
  'app/kernel/errors': kernel('lib'),
  'app/kernel/schema': kernel('lib', 'errors'),
  'app/kernel/data': kernel('lib', 'errors', 'schema'),
  'app/kernel/contract': kernel('lib', 'errors', 'schema', 'data'),
  'app/kernel/codecs': values,
  'app/kernel/declare': values,
  'app/kernel/plan': values,
  'app/kernel/read': [...values, ...kernel('plan')],
  'app/kernel/compile': [...values, ...kernel('codecs', 'declare')],
  'app/kernel/operations': [...values, ...kernel('codecs', 'plan', 'read')],
  'app/kernel/render': [...values, ...kernel('codecs', 'plan')],
  'app/kernel/request': [...values, ...kernel('codecs', 'plan', 'read', 'operations', 'render')],
  'app/kernel/boot': ['app/kernel/'],
  'app/api-types': ['app/kernel/index.ts', 'app/store/kernel-types.ts'],
  'app/metrics': doorsForPlugins,
  'app/openapi': doorsForPlugins,
  'app/program': doorsForPlugins,
  'app/query': doorsForPlugins,
  'app/routes': doorsForPlugins,
  'app/http': ['app/kernel/store.ts'],
  'app/discovery': ['app/kernel/store.ts'],
  'app/memory': ['app/kernel/store.ts'],
  'app/store': [
    'app/kernel/store.ts',
    'app/discovery/index.ts',
    'app/embedded/index.ts',
    'app/jobs/contract.ts',
    'app/jobs/index.ts',
    'app/replicas/index.ts',
    'app/replicas/replica-state.ts',
  ],
  'app/embedded': ['app/kernel/store.ts', 'app/store/'],
  'app/jobs': ['app/kernel/store.ts', 'app/store/'],
  'app/replicas': ['app/kernel/store.ts', 'app/store/'],
  'app/process': ['app/'],
}

/** The most files that import each other's types, by their folder. The numbers may only fall. */
const typeCircles: Readonly<Record<string, number>> = {
  'app/kernel/schema': 6,
  'app/kernel/data': 6,
  'app/kernel/contract': 9,
}

/** A plugin that is not listed. The function that creates it has its name. */
async function createPlugin(folder: string): Promise<Pick<Plugin, 'requires'>> {
  const module = await import(join(root, `plugins/${folder}/index.ts`))
  return module[folder.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())]()
}

describe('Imports', () => {
  for (const [folder, allowed] of Object.entries(directions)) {
    it(`of ${folder} are limited to itself and ${allowed.join(', ') || 'nothing else'}`, () => {
      const isAllowed = (path: string) => [`${folder}/`, ...allowed].some((start) => path.startsWith(start))
      expect(forbiddenImports(folder, isAllowed)).to.deep.equal([])
    })
  }

  it('have a rule for every folder of the application', () => {
    const folders = [
      ...foldersIn('app/kernel').map((name) => `app/kernel/${name}`),
      ...foldersIn('app').map((name) => `app/${name}`),
    ]
    expect(Object.keys(directions)).to.have.members(folders.filter((folder) => folder !== 'app/kernel'))
  })

  it('form no cycle at run time, and cycles of types only inside of one folder', () => {
    const files = sourcesIn('app')
    const circles = (typesToo: boolean) =>
      circlesIn(
        new Map(
          files.map((file) => [
            file,
            readImports(file).flatMap(({ path, typesOnly }) => (path && (typesToo || !typesOnly) ? [path] : [])),
          ]),
        ),
      )
    expect(circles(false)).to.deep.equal([])
    const foldersOf = (circle: readonly string[]) => [...new Set(circle.map((file) => dirname(file)))]
    const isOfStore = (circle: readonly string[]) => circle.every((file) => file.startsWith('app/store/'))
    const isAllowed = (circle: readonly string[]) =>
      isOfStore(circle) ||
      (foldersOf(circle).length === 1 && circle.length <= (typeCircles[foldersOf(circle)[0] ?? ''] ?? 0))
    expect(circles(true).filter((circle) => !isAllowed(circle))).to.deep.equal([])
  })

  it('of a stage do not include other stages', () => {
    const stages = 'app/kernel/request/stages/'
    expect(forbiddenImports('app/kernel/request/stages', (path) => !path.startsWith(stages))).to.deep.equal([])
  })

  it('of the owner files are limited to entry points of the application, and resources', () => {
    const inner = (path: string) => dirname(path) === 'app' || /^app\/process\/|^resources\//.test(path) || isDoor(path)
    const faults = sourcesIn('app').filter((file) => dirname(file) === 'app')
    expect(faults.flatMap((file) => forbiddenImportsInFile(file, inner))).to.deep.equal([])
  })

  for (const folder of shippedFolders()) {
    it(`of the plugin ${folder} are limited to the kernel, itself and the plugins it requires`, async () => {
      const plugin = shippedPlugins.find(({ name }) => name === folder) ?? (await createPlugin(folder))
      const requires = plugin.requires ?? []
      const doors = [
        ...doorsForPlugins,
        'app/openapi/index.ts',
        'app/http/index.ts',
        'app/jobs/index.ts',
        'app/metrics/index.ts',
        'app/query/index.ts',
        'app/routes/index.ts',
        ...requires.map((name) => `plugins/${name}/index.ts`),
      ]
      const allowed = (path: string) => path.startsWith(`plugins/${folder}/`) || doors.includes(path)
      expect(forbiddenImports(`plugins/${folder}`, allowed)).to.deep.equal([])
    })
  }

  it('of scripts are limited to entry points of the application', () => {
    const allowed = (path: string) => /^scripts\/|^app\/[^/]+$/.test(path) || isDoor(path)
    expect(forbiddenImports('scripts', allowed)).to.deep.equal([])
  })

  it('refer to existing files', () => {
    const missing = ['app', 'plugins', 'resources', 'scripts'].flatMap((folder) =>
      sourcesIn(folder).flatMap((file) =>
        readImports(file).flatMap(({ path }) => (path && !existsSync(join(root, path)) ? [`${file} → ${path}`] : [])),
      ),
    )
    expect(missing).to.deep.equal([])
  })
})

describe('Plugins', () => {
  it('are listed under the names of their folders', () => {
    const listed = shippedFolders().filter((folder) => pluginLine(folder)?.startsWith('import'))
    expect(shippedPlugins.map(({ name }) => name)).to.have.members(listed)
  })

  it('have a line in app/plugins.ts, possibly commented out', () => {
    expect(shippedFolders().filter((folder) => pluginLine(folder) === undefined)).to.deep.equal([])
  })

  function pluginLine(folder: string): string | undefined {
    return read('app/plugins.ts')
      .split('\n')
      .find((line) => line.includes(`'#plugins/${folder}/index.ts'`))
  }
})

describe('Resources', () => {
  it('are discovered in every folder', async () => {
    const { folders, faults } = await discover(root)
    expect(folders.map(({ name }) => name)).to.deep.equal(foldersIn('resources').filter((name) => name !== 'shared'))
    expect(faults).to.deep.equal([])
  })
})

describe('npm packages', () => {
  const runtime = Object.keys(manifest.dependencies)
  const declared = [...runtime, ...Object.keys({ ...manifest.devDependencies, ...manifest.optionalDependencies })]
  const files = ['app', 'plugins', 'resources', 'scripts', 'test'].flatMap((folder) => filesIn(folder))
  const packagesOf = (sources: readonly string[]) => sources.flatMap(readImports).flatMap(({ name }) => name ?? [])
  const ofTemplate = packagesOf(files.filter(isShipped))
  /** Packages that only files of the project import, such as a resource or a plugin that the template does not ship. */
  const ofProject = packagesOf(files.filter((file) => !isShipped(file))).filter((name) => !ofTemplate.includes(name))

  it('of MikroORM are imported by the data layer, discovery, entities and migrations alone', () => {
    const dataLayer = /^app\/(?:store|embedded|jobs|discovery)\//
    const mapping = /^plugins\/[^/]+\/(?:migration|resources\/[^/]+\/entity)\.ts$/
    const importers = ['app', 'plugins']
      .flatMap(sourcesIn)
      .filter((file) => readImports(file).some(({ name }) => name?.startsWith('@mikro-orm/')))
    expect(importers).to.include('app/store/kernel-types.ts').and.to.include('plugins/api-keys/migration.ts')
    expect(importers.filter((file) => !dataLayer.test(file) && !mapping.test(file))).to.deep.equal([])
  })

  it('that the service imports are declared as its dependencies', () => {
    expect(undeclared(['app', 'plugins', 'resources'].flatMap(sourcesIn), runtime)).to.deep.equal([])
  })

  it('that scripts and tests import are declared', () => {
    expect(undeclared(files, declared)).to.deep.equal([])
  })

  it('are explained in docs/dependencies.md if the template uses them, and declared if they are explained', () => {
    const rows = read('docs/dependencies.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const explained = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    )
    expect(declared.filter((name) => !explained.includes(name) && !ofProject.includes(name))).to.deep.equal([])
    expect(explained.filter((name) => !declared.includes(name as string))).to.deep.equal([])
  })

  it('are declared in exact versions', () => {
    const versions = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }
    const loose = Object.entries(versions).filter(
      ([name, version]) => !/^\d+\.\d+\.\d+/.test(String(version)) && !ofProject.includes(name),
    )
    expect(loose).to.deep.equal([])
  })

  function undeclared(files: readonly string[], allowed: readonly string[]): string[] {
    return files.flatMap((file) =>
      readImports(file).flatMap(({ name }) => (name && !allowed.includes(name) ? [`${file} → ${name}`] : [])),
    )
  }
})

describe('Files', () => {
  it('contain no absolute paths of a machine', () => {
    const places = [/(?<![\w.])\/(?:home|Users|root)\/\w/, /\b[A-Z]:\\\w/]
    const files = ['.', 'app', 'plugins', 'resources', 'scripts', 'test', 'docs', '.ci'].flatMap((folder) =>
      filesIn(folder, { deep: folder !== '.' }),
    )
    expect(files).to.include('package.json').and.to.include('app/main.ts')
    const faults = files.filter(isShipped).filter((file) => {
      const text = read(file)
      return text.includes(root) || places.some((place) => place.test(text))
    })
    expect(faults).to.deep.equal([])
  })
})

interface Import {
  /** A file of the project. */
  readonly path?: string
  /** An npm package. */
  readonly name?: string
  readonly typesOnly: boolean
}

/** `file → path` for every import in a folder, tests aside, that is not allowed there. */
function forbiddenImports(folder: string, allowed: (path: string, typesOnly: boolean) => boolean): string[] {
  return sourcesIn(folder).flatMap((file) => forbiddenImportsInFile(file, allowed))
}

function forbiddenImportsInFile(file: string, allowed: (path: string, typesOnly: boolean) => boolean): string[] {
  return readImports(file).flatMap(({ path, typesOnly }) =>
    path && !allowed(path, typesOnly) ? [`${file} → ${path}`] : [],
  )
}

function readImports(file: string): Import[] {
  const statements = read(file).matchAll(/^(?:import|export)\b([^'"`;]*?)\bfrom '([^']+)'/gm)
  const calls = read(file).matchAll(/\bimport(?:\(| )'([^'\n]+)'/g)
  return [
    ...[...statements].map(([, names = '', from = '']) => toImport(file, from, isTypesOnly(names))),
    ...[...calls].map(([, from = '']) => toImport(file, from, false)),
  ]
}

function isTypesOnly(names: string): boolean {
  const listed = names
    .replace(/[{}]/g, '')
    .split(',')
    .filter((name) => name.trim())
  return names.trim().startsWith('type ') || listed.every((name) => name.trim().startsWith('type '))
}

function toImport(file: string, from: string, typesOnly: boolean): Import {
  if (from.startsWith('.')) return { path: join(dirname(file), from), typesOnly }
  if (from.startsWith('#')) return { path: aliased(from), typesOnly }
  if (from.startsWith('node:')) return { typesOnly }
  return {
    name: from
      .split('/')
      .slice(0, from.startsWith('@') ? 2 : 1)
      .join('/'),
    typesOnly,
  }
}

function aliased(from: string): string {
  for (const [alias, target] of Object.entries<string>(manifest.imports)) {
    const [start = '', end] = alias.split('*')
    if (end === undefined ? from === alias : from.startsWith(start)) {
      return join(target.replace('*', from.slice(start.length)))
    }
  }
  return from
}

/** Whether a file is an entry point of a part of the application. */
function isDoor(path: string): boolean {
  return (
    /^app\/(?:kernel\/(?:index|plugin|errors|queries|operations|store|boot\/[\w-]+)|(?:openapi|program|query|routes|http|memory|discovery|store|embedded)\/index)\.ts$/.test(
      path,
    ) || isFrontDoor(path)
  )
}

/** Groups of files that import each other, directly or indirectly. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map([...graph.keys()].map((file) => [file, reachedFrom(file, graph)]))
  const circles = new Map<string, string[]>()
  for (const file of graph.keys()) {
    const circle = [...graph.keys()].filter((other) => reached.get(file)?.has(other) && reached.get(other)?.has(file))
    if (circle.length > 1) circles.set(circle.join(), circle)
  }
  return [...circles.values()]
}

function reachedFrom(start: string, graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [start]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const next of graph.get(file) ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      waiting.push(next)
    }
  }
  return reached
}

function isFrontDoor(path: string): boolean {
  return /^plugins\/[^/]+\/index\.ts$/.test(path)
}

/** Without tests and factories. */
function sourcesIn(folder: string): string[] {
  return filesIn(folder).filter((file) => !/(?:\.test|\/factory)\.ts$/.test(file))
}

/** Without generated clients, which are a separate package. */
function filesIn(folder: string, { deep = true } = {}): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: deep })
    .filter((entry) => entry.isFile() && !/^\.env|^\.git$|^package-lock|^\.DS_Store/.test(basename(entry.name)))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .filter((file) => !file.startsWith('test/template/clients/'))
}

/** The folders of the plugins that the template ships, disabled ones included. */
function shippedFolders(): string[] {
  return foldersIn('plugins').filter((folder) => isShipped(`plugins/${folder}/index.ts`))
}

function foldersIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort()
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
