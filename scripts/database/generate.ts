import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Discovery } from '#discovery'
import { loadExtension } from '#embedded'
import { type Database, openDatabase, pendingMigrations, StartupError } from '#store'
import { format } from '../make/format.ts'
import { nextNumber, toSource } from '../support/migration-files.ts'
import { discoverResources, loadSchema, readEnvironment, root } from '../support/project.ts'
import { type BaselineStatements, baselineStatements } from './baseline-source.ts'
import { entitySource, sqlName } from './entity-source.ts'
import { type ExistingProject, existingTypes, readExisting } from './existing.ts'
import { type DatabaseCatalog, introspect } from './introspect.ts'
import { viewKeyCandidates } from './keys.ts'
import { TypeNamer } from './names.ts'
import { planDatabase } from './plan.ts'
import type { DatabasePlan, Remark } from './plan-types.ts'
import { policySource, resourceSource, testSource } from './resource-source.ts'

export interface GeneratedTypes extends DatabasePlan {
  /** Sources by path, relative to the project. */
  readonly files: ReadonlyMap<string, string>
  /** Migrations of other types, which the next start applies to the database. */
  readonly pending: readonly string[]
}

/** Generates a type for the named tables and views of the database of the project, or for all. Writes no row. */
export async function generateFromDatabase(names: readonly string[], isDryRun: boolean): Promise<GeneratedTypes> {
  const config = readEnvironment()
  if (!config.databaseUrl) throw new StartupError('Set DATABASE_URL to the database whose tables are to be mapped.')
  const discovery = await discoverResources()
  const schema = await loadSchema(discovery, config.disabledPlugins)
  const database = await openDatabase({ ...config, ...schema })
  try {
    const catalog = await introspect(database.orm)
    const project = await readExisting(database, discovery, config.migrationsTable)
    const plan = planDatabase(catalog, {
      namer: new TypeNamer(
        project.types,
        [...project.entities.values()].map(({ className }) => className),
      ),
      names: selectTables(catalog, names, project),
      viewKeys: await findViewKeys(database, catalog),
      existing: existingTypes(catalog, project),
    })
    if (plan.types.length === 0) throw new StartupError(nothingToMap(plan))
    const baseline = baselineStatements(catalog, project.created)
    const files = await writeFolders(plan, baseline, discovery, isDryRun)
    const remarks = [...plan.remarks, ...(await missingExtensions(catalog.extensions))]
    return { ...plan, remarks, files, pending: await pendingMigrations(database) }
  } finally {
    await database.close()
  }
}

function nothingToMap({ remarks }: DatabasePlan): string {
  if (remarks.length === 0) return 'There is no table or view to map.'
  return remarks.map(({ member, text }) => `${member}: ${text}.`).join('\n')
}

/** Extensions that only a server has: their types and functions fail in the embedded database. */
export async function missingExtensions(extensions: readonly string[]): Promise<Remark[]> {
  const loaded = await Promise.all(extensions.map(async (name) => ({ name, extension: await loadExtension(name) })))
  return loaded
    .filter(({ extension }) => extension === null)
    .map(({ name }) => ({
      member: `extension ${name}`,
      text: 'Not in the embedded database: if a table uses it, run the service and the tests with DATABASE_URL',
    }))
}

function selectTables(
  { relations }: DatabaseCatalog,
  names: readonly string[],
  { entities, internal }: ExistingProject,
): Set<string> {
  const all = relations.map(({ name }) => name)
  for (const name of names) {
    const entity = entities.get(name)
    if (!all.includes(name))
      throw new StartupError(`There is no table or view '${name}'. There are: ${all.join(', ') || 'none'}.`)
    if (internal.has(name)) throw new StartupError(`The table '${name}' belongs to the application.`)
    if (entity) throw new StartupError(`The table '${name}' already has an entity, ${entity.className}.`)
  }
  return new Set((names.length > 0 ? names : all).filter((name) => !entities.has(name) && !internal.has(name)))
}

/** Finds a column of each view without NULL and without repeated values. */
async function findViewKeys(database: Database, { relations }: DatabaseCatalog): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  for (const relation of relations) {
    if (relation.kind === 'table') continue
    for (const column of viewKeyCandidates(relation)) {
      const text = `select count(*) = count(distinct ${sqlName(column)}) as "isKey" from ${sqlName(relation.name)}`
      const [row] = await database.orm.em.fork().execute<{ isKey: boolean }[]>(text)
      if (!row?.isKey) continue
      keys.set(relation.name, column)
      break
    }
  }
  return keys
}

/** Writes all folders, or none if the application would not start with them. */
async function writeFolders(
  { types }: DatabasePlan,
  baseline: BaselineStatements,
  discovery: Discovery,
  isDryRun: boolean,
): Promise<Map<string, string>> {
  const hasPolicy = existsSync(join(root, 'plugins/authorization'))
  const files = new Map<string, string>()
  for (const type of types) {
    const folder = `resources/${type.names.type}`
    files.set(`${folder}/entity.ts`, withoutGaps(entitySource(type)))
    files.set(`${folder}/resource.ts`, withoutGaps(resourceSource(type, hasPolicy)))
    if (hasPolicy) files.set(`${folder}/policy.ts`, policySource(type))
    files.set(`${folder}/${type.names.type}.test.ts`, testSource(type, hasPolicy))
  }
  addBaseline(files, types, baseline, nextNumber(discovery))
  const taken = [...files.keys()]
    .map((file) => file.split('/').slice(0, 2).join('/'))
    .find((path) => existsSync(join(root, path)))
  if (taken) throw new StartupError(`${taken} already exists.`)
  if (isDryRun) return files
  const scratch = await mkdtemp(join(root, '.make-'))
  try {
    for (const [file, source] of files) {
      await mkdir(join(scratch, file, '..'), { recursive: true })
      await writeFile(join(scratch, file), source)
    }
    await format(scratch)
    await mkdir(join(root, 'resources'), { recursive: true })
    for (const { names } of types)
      await rename(join(scratch, 'resources', names.type), join(root, 'resources', names.type))
  } finally {
    await rm(scratch, { recursive: true })
  }
  return files
}

/** Removes the empty lines of options that a type does not have. */
function withoutGaps(source: string): string {
  return source.replace(/,\n(?: *\n)+/g, ',\n')
}

/** Adds one migration per folder. Tables without a folder are created in the migration before theirs. */
function addBaseline(
  files: Map<string, string>,
  types: DatabasePlan['types'],
  { first, tables, extensions }: BaselineStatements,
  firstNumber: number,
): void {
  const folders = new Map(types.map(({ relation, names }) => [relation.name, names.type]))
  const order = [...tables.keys()]
  const [firstFolder = ''] = [...order, ...folders.keys()].flatMap((table) => folders.get(table) ?? [])
  let current = firstFolder
  const parts = new Map<string, string[]>([[firstFolder, [...first]]])
  for (const table of order) {
    current = folders.get(table) ?? current
    parts.set(current, [...(parts.get(current) ?? []), ...(tables.get(table) ?? [])])
  }
  let number = firstNumber
  for (const [folder, statements] of parts) {
    if (statements.length === 0) continue
    const title = ['baseline', ...folder.split('-')]
    const file = `resources/${folder}/migrations/${number++}_baseline_${folder.replaceAll('-', '_')}.ts`
    files.set(file, toSource(title, statements, null, number === firstNumber + 1 ? extensions : []))
  }
}
