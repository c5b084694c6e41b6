import type { Discovery } from '#discovery'
import { namedRoutes } from '#routes'
import { type Database, mapEntities } from '#store'
import type { Inverse } from '../make/inverse.ts'
import { importing } from '../make/sources.ts'
import { declaredTargets, type Target } from '../make/targets.ts'
import { createdObject, migrationStatements } from '../support/baseline.ts'
import { createProjectApp, loadSchema, readEnvironment } from '../support/project.ts'
import { entityModule, toManyProperty } from './entity-source.ts'
import type { DatabaseCatalog } from './introspect.ts'
import { chooseKey } from './keys.ts'
import { PropertyNamer, type TypeNamer } from './names.ts'
import type { TypePlan } from './plan-types.ts'
import { toManyField } from './resource-source.ts'

/** The parts of the project that generated types must fit. */
export interface ExistingProject {
  /** Names of types, and first segments of paths. */
  readonly types: ReadonlySet<string>
  /** Entities by table. */
  readonly entities: ReadonlyMap<string, Entity>
  /** The declared type of each entity. */
  readonly targets: ReadonlyMap<string, Target>
  /** The objects that migrations create, as `createdObject` returns them. */
  readonly created: ReadonlySet<string>
  /** Tables of the migrations and of plugins. */
  readonly internal: ReadonlySet<string>
}

interface Entity {
  readonly className: string
  readonly keys: readonly string[]
  readonly properties: readonly string[]
}

export async function readExisting(
  database: Database,
  discovery: Discovery,
  migrationsTable: string,
): Promise<ExistingProject> {
  const app = await createProjectApp(readEnvironment(), discovery)
  const paths = namedRoutes(app).map(({ path }) => path.split('/')[1] ?? '')
  const types = new Set([...app.registry.types.keys(), ...paths, ...app.servers.map(({ prefix }) => prefix.slice(1))])
  await app.close()
  const orm = await mapEntities((await loadSchema(discovery)).entities)
  const metas = [...orm.getMetadata().getAll().values()]
  await orm.close()
  const entities = metas.map(({ className, tableName, primaryKeys, properties }): [string, Entity] => [
    tableName,
    {
      className,
      keys: primaryKeys.flatMap((key) => properties[key]?.fieldNames ?? []),
      properties: Object.keys(properties),
    },
  ])
  const declared = [...(await declaredTargets(discovery)).values()]
  return {
    types,
    entities: new Map(entities),
    targets: new Map(declared.toReversed().map((target) => [target.entity, target])),
    ...(await createdBy(database, migrationsTable)),
  }
}

async function createdBy(database: Database, migrationsTable: string) {
  const migrations = [...(await migrationStatements(database))]
  const objectsOf = (found: typeof migrations) => found.flatMap(([, statements]) => statements.map(createdObject))
  const ofPlugins = objectsOf(migrations.filter(([name]) => name.includes('/')))
  return {
    created: new Set([...objectsOf(migrations), `table ${migrationsTable}`]),
    internal: new Set([...ofPlugins.map((object) => object.replace(/^table /, '')), migrationsTable]),
  }
}

/** Plans of the declared types with a key of one column, by table: foreign keys of new tables can refer to them. */
export function existingTypes(
  { relations }: DatabaseCatalog,
  { entities, targets }: ExistingProject,
  namer: TypeNamer,
): Map<string, TypePlan> {
  const found = relations.flatMap((relation): [string, TypePlan][] => {
    const entity = entities.get(relation.name)
    const declared = targets.get(entity?.className ?? '')
    const key = chooseKey(relation)
    if (!entity || !declared || !key?.column || entity.keys.join() !== key.column.name) return []
    const one = entity.className.charAt(0).toLowerCase() + entity.className.slice(1)
    const many = namer.many(declared.type.replaceAll('-', '_'))
    const names = { type: declared.type, entity: entity.className, one, many, table: relation.name, title: one }
    const properties = new PropertyNamer({ one }, entity.properties)
    const fields = { lists: new Map(), attributes: [], toOnes: [], toManys: [], joins: [] }
    return [[relation.name, { relation, names, key, isReadOnly: false, declared, namer: properties, ...fields }]]
  })
  return new Map(found)
}

/** The relations that new types add to types of the project. */
export function listInverses(existing: readonly TypePlan[]): Inverse[] {
  return existing.flatMap((type) =>
    type.toManys.map((relation) => {
      const field = toManyField(relation, type)
      return {
        name: relation.property,
        target: type.declared as Target,
        importLine: importing(relation.target.names.entity, entityModule(relation.target)),
        propertyLine: toManyProperty(relation),
        builder: /^\w+/.exec(field)?.[0] as string,
        fieldLine: `${field},`,
      }
    }),
  )
}
