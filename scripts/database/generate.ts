import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DriverException } from '@mikro-orm/core'
import { Migration } from '@mikro-orm/migrations'
import type { Discovery } from '#discovery'
import { loadExtension } from '#embedded'
import {
  type Database,
  findTableFault,
  listedMigrations,
  migrate,
  openDatabase,
  pendingMigrations,
  StartupError,
} from '#store'
import { format } from '../make/format.ts'
import { checkPluginTables } from '../support/baseline.ts'
import { migrationNumbers, toSource } from '../support/migration-files.ts'
import { discoverResources, isListed, loadSchema, readEnvironment, root } from '../support/project.ts'
import { extensionStatement } from './baseline-source.ts'
import { entitySource, sqlName } from './entity-source.ts'
import { type ExistingProject, existingTypes, readExisting } from './existing.ts'
import { type DatabaseCatalog, introspect } from './introspect.ts'
import { type RowKeyCandidate, rowKeyCandidates } from './keys.ts'
import { TypeNamer } from './names.ts'
import { planDatabase } from './plan.ts'
import type { DatabasePlan, Remark } from './plan-types.ts'
import { type BaselineStatements, type Rehearsal, rehearseBaseline } from './rehearse.ts'
import { policySource, resourceSource } from './resource-source.ts'
import { findSecrets } from './secrets.ts'
import { testSource } from './test-source.ts'

export interface GeneratedTypes extends DatabasePlan {
  /** Sources by path, relative to the project. */
  readonly files: ReadonlyMap<string, string>
  /** Migrations of other types, which the next start applies to the database. */
  readonly pending: readonly string[]
}

interface DatabaseRequest {
  /** Tables and views; empty for all. */
  readonly names: readonly string[]
  readonly isDryRun: boolean
  /** To-many relations are named like the tables, also in the singular. */
  readonly keepsNames: boolean
}

/** Generates types for tables and views of the database of the project. Writes no row. */
export async function generateFromDatabase({ names, isDryRun, keepsNames }: DatabaseRequest): Promise<GeneratedTypes> {
  const config = readEnvironment()
  if (!config.databaseUrl) throw new StartupError('Set DATABASE_URL to the database whose tables are to be mapped.')
  const discovery = await discoverResources()
  const schema = await loadSchema(discovery, config.disabledPlugins)
  const database = await openDatabase({ ...config, ...schema })
  try {
    const isForeign = (await findTableFault(database)) !== null
    const pending = isForeign ? listedMigrations(database).map(({ name }) => name) : await pendingMigrations(database)
    await checkPluginTables(database, pending)
    const found = await introspect(database.orm)
    const project = await readExisting(database, discovery, config.migrationsTable)
    const selected = selectTables(found, names, project)
    const { catalog, baseline, remarks: rejected } = await rehearse(found, project, discovery)
    const classes = [...project.entities.values()].map(({ className }) => className)
    const namer = new TypeNamer(project.types, classes, keepsNames)
    const plan = planDatabase(catalog, {
      namer,
      names: selected,
      named: new Set(names),
      ...(await findRowKeys(database, catalog)),
      existing: existingTypes(catalog, project, namer),
    })
    const missing = await missingExtensions(found.extensions)
    const foreign = isForeign ? [{ member: config.migrationsTable, text: foreignMigrations }] : []
    const remarks = [...foreign, ...rejected, ...plan.remarks, ...missing]
    if (plan.types.length === 0) throw new StartupError(nothingToMap({ ...plan, remarks }))
    const files = await writeFolders(
      plan,
      { ...baseline, extensions: newExtensions(found, project) },
      discovery,
      isDryRun,
    )
    return { ...plan, remarks, files, pending }
  } finally {
    await database.close()
  }
}

const foreignMigrations = 'Not mapped: another program uses it for its migrations; set MIGRATIONS_TABLE to another name'

/** Creates the schema in an empty embedded database after the migrations of the project. */
async function rehearse(
  catalog: DatabaseCatalog,
  { created }: ExistingProject,
  discovery: Discovery,
): Promise<Rehearsal> {
  const { entities, migrations } = await loadSchema(discovery)
  const extensions = { name: 'extensions', class: extensionsMigration(catalog.extensions) }
  const empty = await openDatabase({
    databaseUrl: null,
    dataDir: null,
    entities,
    migrations: [...migrations, extensions],
  })
  try {
    await migrate(empty)
    return await rehearseBaseline(empty, catalog, created)
  } finally {
    await empty.close()
  }
}

function extensionsMigration(names: readonly string[]) {
  return class extends Migration {
    static readonly extensions = names

    override up(): void {
      for (const name of names) this.addSql(extensionStatement(name))
    }
  }
}

/** The extensions that no earlier migration creates. */
function newExtensions({ extensions }: DatabaseCatalog, { created }: ExistingProject): string[] {
  return extensions.filter((name) => !created.has(extensionStatement(name)))
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

/** The rows of a view whose columns are evaluated. */
const evaluatedRows = 1000

/** Finds the columns of views and partitioned tables that have no NULL and identify a row, and the views that cannot be read. */
export async function findRowKeys({ orm }: Database, { relations }: DatabaseCatalog) {
  const rowKeys = new Map<string, readonly string[]>()
  const unreadable = new Map<string, string>()
  const secrets = findSecrets(relations)
  for (const relation of relations.filter(({ isPopulated }) => isPopulated)) {
    for (const candidate of rowKeyCandidates(relation, relations, secrets)) {
      const { columns } = candidate
      const text = `select ${isKeyExpression(candidate)} as "isKey" from ${sqlName(relation.name)}`
      try {
        const [row] = await orm.em.fork().execute<{ isKey: boolean }[]>(text)
        if (!row?.isKey) continue
        // A view may only fail when its columns are evaluated.
        const rows = `(select * from ${sqlName(relation.name)} limit ${evaluatedRows}) as evaluated`
        if (relation.kind !== 'table') await orm.em.fork().execute(`select count(evaluated::text) from ${rows}`)
        rowKeys.set(relation.name, columns)
        break
      } catch (error) {
        if (!(error instanceof DriverException)) throw error
        if (relation.kind !== 'table') unreadable.set(relation.name, error.message.split('\n')[0] as string)
        break
      }
    }
  }
  return { rowKeys, unreadable }
}

/** Whether the rows have no NULL in the columns and differ in them. Fewer than two rows show nothing. */
function isKeyExpression({ columns, isProven }: RowKeyCandidate): string {
  const names = columns.map(sqlName)
  const list = names.join(', ')
  const isComplete = names.map((name) => `count(*) = count(${name})`).join(' and ')
  const isDistinct = `count(*) = count(distinct ${names.length > 1 ? `(${list})` : list})`
  return `${isComplete} and ${isDistinct}${isProven ? '' : ' and count(*) > 1'}`
}

/** Writes all folders, or none if the application would not start with them. */
async function writeFolders(
  { types }: DatabasePlan,
  baseline: BaselineStatements & { readonly extensions: readonly string[] },
  discovery: Discovery,
  isDryRun: boolean,
): Promise<Map<string, string>> {
  const hasPolicy = existsSync(join(root, 'plugins/authorization'))
  const files = new Map<string, string>()
  for (const type of types) {
    const folder = `resources/${type.names.type}`
    files.set(`${folder}/entity.ts`, withoutGaps(entitySource(type)))
    files.set(`${folder}/resource.ts`, withoutGaps(resourceSource(type, hasPolicy, isListed('filter-expressions'))))
    if (hasPolicy) files.set(`${folder}/policy.ts`, policySource(type))
    files.set(`${folder}/${type.names.type}.test.ts`, testSource(type, hasPolicy))
  }
  addBaseline(files, types, baseline, discovery)
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
  { first, tables, extensions }: BaselineStatements & { readonly extensions: readonly string[] },
  discovery: Discovery,
): void {
  const folders = new Map(types.map(({ relation, names }) => [relation.name, names.type]))
  const order = [...tables.keys()]
  const [firstFolder = ''] = [...order, ...folders.keys()].flatMap((table) => folders.get(table) ?? [])
  let current = firstFolder
  const parts = new Map<string, string[]>([[firstFolder, [...extensions.map(extensionStatement), ...first]]])
  for (const table of order) {
    current = folders.get(table) ?? current
    parts.set(current, [...(parts.get(current) ?? []), ...(tables.get(table) ?? [])])
  }
  const written = [...parts].filter(([, statements]) => statements.length > 0)
  const numbers = migrationNumbers(discovery, written.length)
  for (const [index, [folder, statements]] of written.entries()) {
    const file = `resources/${folder}/migrations/${numbers[index]}_baseline_${folder.replaceAll('-', '_')}.ts`
    const title = ['baseline', ...folder.split('-')]
    files.set(file, toSource(title, statements, null, index === 0 ? extensions : []))
  }
}
