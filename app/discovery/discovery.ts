import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EntitySchema } from '@mikro-orm/core'

export interface ResourceFolder {
  readonly name: string
  /** All paths are absolute. */
  readonly resource: string
  readonly entity: string | null
  readonly seed: string | null
  readonly migrations: readonly string[]
  /** The files in `actions/`; each exports an action with the name of the file. */
  readonly actions: readonly string[]
}

export interface Discovery {
  readonly root: string
  /** The folders that hold the resource folders, relative to the root. */
  readonly paths: readonly string[]
  readonly folders: readonly ResourceFolder[]
  /** Sentences about invalid folders. */
  readonly faults: readonly string[]
}

const defaultPath = 'resources'

/** The folder beside the resource folders for code that several of them use. */
const sharedFolder = 'shared'

/** Lists the files in the resource folders; `paths` are the folders that hold them. Loads no module. */
export async function discover(root: string, paths: readonly string[] = [defaultPath]): Promise<Discovery> {
  const listed = await Promise.all(paths.map((path) => listFolders(join(root, path))))
  const found = await Promise.all(listed.flat().map(readFolder))
  const shared = found.filter(({ name }) => name === sharedFolder)
  const folders = found.filter((folder) => existsSync(folder.resource) && !shared.includes(folder))
  const missing = found
    .filter((folder) => ![...folders, ...shared].includes(folder))
    .map(({ resource }) => dirname(resource))
  const misplaced = shared.flatMap(({ resource }) => (existsSync(resource) ? relative(root, resource) : []))
  const faults = missing.map(
    (path) =>
      `${relative(root, path)} has no resource.ts; add one, remove the folder, or move shared code to ${dirname(relative(root, path))}/${sharedFolder}.`,
  )
  return {
    root,
    paths,
    folders,
    faults: [...missingPaths(root, paths), ...faults, ...misplaced.map(toMisplaced), ...duplicateMigrations(folders)],
  }
}

function toMisplaced(file: string): string {
  return `${file} declares a type in the folder for shared code; rename the folder.`
}

/** The default path may be missing: a project without resources has no folder for them. */
function missingPaths(root: string, paths: readonly string[]): string[] {
  const missing = paths.filter((path) => path !== defaultPath && !existsSync(join(root, path)))
  return missing.map((path) => `RESOURCE_PATHS names '${path}', which is not a folder of the project.`)
}

async function listFolders(directory: string): Promise<string[]> {
  if (!existsSync(directory)) return []
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()
  return names.map((name) => join(directory, name))
}

async function readFolder(folder: string): Promise<ResourceFolder> {
  const fileOrNull = (name: string) => (existsSync(join(folder, name)) ? join(folder, name) : null)
  return {
    name: basename(folder),
    resource: join(folder, 'resource.ts'),
    entity: fileOrNull('entity.ts'),
    seed: fileOrNull('seed.ts'),
    migrations: await listSources(join(folder, 'migrations')),
    actions: await listSources(join(folder, 'actions')),
  }
}

/** The TypeScript files of a folder that are not tests. */
async function listSources(folder: string): Promise<string[]> {
  const files = existsSync(folder) ? await readdir(folder) : []
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  return sources.sort().map((file) => join(folder, file))
}

function duplicateMigrations(folders: readonly ResourceFolder[]): string[] {
  const files = folders.flatMap((folder) => folder.migrations)
  const names = files.map((file) => basename(file))
  const duplicates = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  return [...duplicates].map((name) => `Two migrations are called ${name}; rename one of them.`)
}

/** Loads all entities that `entity.ts` files export: classes of schemas, or schemas. */
export async function loadEntities({ folders }: Discovery): Promise<object[]> {
  const files = folders.flatMap(({ entity }) => entity ?? [])
  const found = await Promise.all(files.map((file) => load(file, isEntity, 'a MikroORM entity')))
  return [...new Set(found.flat().map(toClass))]
}

type MigrationClass = new (...args: never[]) => object

interface NamedMigration {
  readonly name: string
  readonly class: MigrationClass
  /** The path, relative to the project. Undefined for the migration of a plugin. */
  readonly file?: string
}

/** The part of a plugin that concerns the schema of the database. */
interface MigratingPlugin {
  readonly name: string
  readonly migrations?: Readonly<Record<string, MigrationClass>>
}

/** The migrations of the resources and of the enabled plugins, ordered by name; a plugin's name is a prefix. */
export async function loadMigrations(
  { root, folders }: Pick<Discovery, 'root' | 'folders'>,
  plugins: readonly MigratingPlugin[] = [],
  disabled: readonly string[] = [],
): Promise<NamedMigration[]> {
  const files = folders.flatMap(({ migrations }) => migrations)
  const ofResources = await Promise.all(
    files.map(async (file) => {
      const [found] = await load(file, isMigration, 'a class with up() and down()')
      return { name: basename(file, '.ts'), class: found as MigrationClass, file: relative(root, file) }
    }),
  )
  const enabled = plugins.filter(({ name }) => !disabled.includes(name))
  const ofPlugins = enabled.flatMap(({ name: plugin, migrations = {} }) =>
    Object.entries(migrations).map(([name, migration]) => ({ name: `${plugin}/${name}`, class: migration })),
  )
  return [...ofResources, ...ofPlugins].sort((a, b) => (basename(a.name) < basename(b.name) ? -1 : 1))
}

/** Loads the default exports of all `seed.ts` files. */
export async function loadSeeds<Seed>({ folders }: Discovery): Promise<{ name: string; seed: Seed }[]> {
  const seeded = folders.flatMap(({ name, seed }) => (seed ? [{ name, file: seed }] : []))
  return Promise.all(seeded.map(async ({ name, file }) => ({ name, seed: (await loadDefault(file)) as Seed })))
}

interface LoadedDeclaration {
  readonly file: string
  readonly declaration: unknown
  /** The default exports of the files in `actions/`, by name of the file. */
  readonly actions: ReadonlyMap<string, unknown>
}

export async function loadDeclarations({ folders }: Discovery): Promise<LoadedDeclaration[]> {
  return Promise.all(
    folders.map(async ({ resource: file, actions }) => ({
      file,
      declaration: await loadDefault(file),
      actions: new Map(
        await Promise.all(actions.map(async (path) => [basename(path, '.ts'), await loadDefault(path)] as const)),
      ),
    })),
  )
}

async function loadDefault(file: string): Promise<unknown> {
  const [found] = await load(file, (_, name) => name === 'default', 'anything as default')
  return found
}

async function load(file: string, matches: (value: unknown, name: string) => boolean, what: string): Promise<object[]> {
  const module: Record<string, object> = await import(pathToFileURL(file).href)
  const found = Object.entries(module).flatMap(([name, value]) => (matches(value, name) ? [value] : []))
  if (found.length === 0) throw new Error(`${file} does not export ${what}.`)
  return found
}

function isEntity(value: unknown): boolean {
  return EntitySchema.is(value) || EntitySchema.REGISTRY.has(value as object)
}

/** Returns the class of a schema, so that a schema and its class count as one entity. */
function toClass(entity: object): object {
  if (!EntitySchema.is(entity)) return entity
  const { class: entityClass } = entity.meta
  return EntitySchema.REGISTRY.has(entityClass) ? entityClass : entity
}

function isMigration(value: unknown): boolean {
  return typeof value === 'function' && typeof value.prototype?.up === 'function'
}
