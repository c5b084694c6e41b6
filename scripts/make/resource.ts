import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Discovery, ResourceFolder } from '#discovery'
import { mapEntities, migrate, openDatabase, StartupError } from '#store'
import { writeMigrations } from '../support/migration-files.ts'
import { createProjectApp, discoverResources, isListed, loadSchema, readEnvironment, root } from '../support/project.ts'
import { findChanges } from '../support/schema-changes.ts'
import { readFields } from './fields.ts'
import { format } from './format.ts'
import { deriveNames } from './names.ts'
import { entitySource, factorySource, pivotNames, policySource, type ResourcePlan, resourceSource } from './sources.ts'
import { findTargets } from './targets.ts'
import { testSource } from './test-source.ts'

export interface ResourceRequest {
  readonly type: string
  /** Default: derived from the type. */
  readonly entity?: string | undefined
  /** Fields such as `title:string!`. */
  readonly fields: readonly string[]
  readonly hasSoftDeletes?: boolean
  /** The format of the ids; default: integers of the database. */
  readonly id?: string | undefined
  /** Anonymous callers may read. */
  readonly isPublic?: boolean
  readonly isDryRun?: boolean
}

export interface GeneratedResource {
  readonly plan: ResourcePlan
  /** Sources by path, relative to the project. */
  readonly files: ReadonlyMap<string, string>
}

/** Writes the folder of a new resource, or nothing if it has a fault. */
export async function generateResource(request: ResourceRequest): Promise<GeneratedResource> {
  const discovery = await discoverResources()
  const plan = await planResource(request, discovery)
  // A folder beside the resources, so that relative imports resolve as in the final folder.
  const scratch = await mkdtemp(join(root, '.make-'))
  try {
    const folder = await writeSources(join(scratch, plan.names.type), plan)
    await checkApplication(folder, discovery, plan)
    await writeMigration(folder, discovery)
    await format(scratch)
    const files = await readSources(dirname(folder.resource), plan.names.type)
    if (!request.isDryRun) {
      await mkdir(join(root, 'resources'), { recursive: true })
      await rename(dirname(folder.resource), join(root, 'resources', plan.names.type))
    }
    return { plan, files }
  } finally {
    await rm(scratch, { recursive: true })
  }
}

async function planResource(request: ResourceRequest, discovery: Discovery): Promise<ResourcePlan> {
  const names = deriveNames(request.type, request.entity)
  const folder = `resources/${names.type}`
  if (existsSync(join(root, folder))) throw new StartupError(`${folder} already exists.`)
  if (![undefined, 'integer', 'uuid'].includes(request.id)) {
    throw new StartupError(`--id ${request.id} is unknown. Formats: integer, uuid.`)
  }
  const fields = readFields(request.fields, names.one)
  if (fields.attributes.length === 0)
    throw new StartupError(`'${names.type}' needs an attribute, as in 'title:string!'.`)
  const own = fields.relations.find(({ target, isRequired }) => isRequired && target === names.type)
  if (own)
    throw new StartupError(
      `'${own.name}' is a required relation to its own type, so that the first resource could not be created.`,
    )
  const hasPolicy = existsSync(join(root, 'plugins/authorization'))
  const { hasSoftDeletes = false, isPublic = false } = request
  if (hasSoftDeletes && [...fields.attributes, ...fields.relations].some(({ name }) => name === 'deletedAt'))
    throw new StartupError("'deletedAt' is the property of --soft-deletes; a field needs another name.")
  const targets = await findTargets(fields.relations, names, discovery)
  const hasUuid = request.id === 'uuid'
  const hasExpressions = isListed('filter-expressions')
  return { names, ...fields, targets, hasPolicy, isPublic, hasSoftDeletes, hasUuid, hasExpressions }
}

async function writeSources(directory: string, plan: ResourcePlan): Promise<ResourceFolder> {
  const { type } = plan.names
  await mkdir(directory)
  await writeFile(join(directory, 'entity.ts'), entitySource(plan))
  await writeFile(join(directory, 'resource.ts'), resourceSource(plan))
  if (plan.hasPolicy) await writeFile(join(directory, 'policy.ts'), policySource(plan))
  await writeFile(join(directory, 'factory.ts'), factorySource(plan))
  await writeFile(join(directory, `${type}.test.ts`), testSource(plan))
  const [resource, entity] = [join(directory, 'resource.ts'), join(directory, 'entity.ts')]
  return { name: type, resource, entity, seed: null, migrations: [], actions: [] }
}

/** Builds the application with the new type. Faults name the final folder. */
async function checkApplication(folder: ResourceFolder, discovery: Discovery, plan: ResourcePlan): Promise<void> {
  await checkNamesAreFree(discovery, plan)
  const scratchFolder = relative(root, dirname(folder.resource))
  const app = await createProjectApp(readEnvironment(), withFolder(discovery, folder)).catch((error: Error) => {
    throw new StartupError(error.message.replaceAll(scratchFolder, `resources/${plan.names.type}`))
  })
  await app.close()
}

/** Checks that entity and table names are free, also those of join tables. */
async function checkNamesAreFree(discovery: Discovery, plan: ResourcePlan): Promise<void> {
  const { names, relations } = plan
  const required = [
    { entity: names.entity, table: names.table },
    ...relations.filter(({ toMany }) => toMany).map((relation) => pivotNames(plan, relation)),
  ]
  const orm = await mapEntities((await loadSchema(discovery)).entities)
  const taken = [...orm.getMetadata().getAll().values()]
  for (const { entity, table } of required) {
    const other = taken.find(({ className, tableName }) => className === entity || tableName === table)
    if (!other) continue
    const advice = other.className === entity ? 'name yours with --entity' : 'choose another name'
    throw new StartupError(`There is an entity ${other.className} with the table ${other.tableName}; ${advice}.`)
  }
  await orm.close()
}

/** Writes the migration for the tables of this folder only. */
async function writeMigration(folder: ResourceFolder, discovery: Discovery): Promise<void> {
  const all = withFolder(discovery, folder)
  const database = await openDatabase({ databaseUrl: null, dataDir: null, ...(await loadSchema(all)) })
  try {
    await migrate(database)
    const changes = await findChanges(database.orm, all)
    await writeMigrations(
      changes.filter((change) => change.folder.name === folder.name),
      all,
    )
  } finally {
    await database.close()
  }
}

function withFolder(discovery: Discovery, folder: ResourceFolder): Discovery {
  return { ...discovery, folders: [...discovery.folders, folder] }
}

async function readSources(directory: string, type: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
  const sources = paths.map(async (path) => {
    return [join('resources', type, relative(directory, path)), await readFile(path, 'utf8')] as const
  })
  return new Map(await Promise.all(sources))
}
