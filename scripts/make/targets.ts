import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { declaredResources } from '#app/resources.ts'
import { type Discovery, loadEntities } from '#discovery'
import { StartupError } from '#store'
import type { RelationPlan } from './fields.ts'
import type { TypeNames } from './names.ts'

/** The related type of a relation. */
export interface Target {
  readonly type: string
  /** The name of its class, and the module that exports it. */
  readonly entity: string
  readonly module: string
  /** The files of the declaration and of the entity, relative to the project. */
  readonly resourceFile: string
  readonly entityFile: string
  readonly hasFactory: boolean
}

/** Returns the related types by name, including the new type. */
export async function findTargets(
  relations: readonly RelationPlan[],
  names: TypeNames,
  discovery: Discovery,
): Promise<Map<string, Target>> {
  const targets = await declaredTargets(discovery)
  targets.set(names.type, ownTarget(names))
  for (const { name, target } of relations) {
    const found = targets.get(target)
    if (found?.entity) continue
    if (found) throw new StartupError(`'${name}' cannot refer to '${target}', which has no entity.`)
    const others = [...targets.keys()].filter((type) => type !== names.type && targets.get(type)?.entity)
    throw new StartupError(
      `'${name}' refers to the type '${target}', which does not exist. Create it first (npm run make -- resource ${target} 'name:string!') ` +
        `or use one of ${others.sort().join(', ') || 'none yet'}.`,
    )
  }
  return targets
}

function ownTarget({ type, entity }: TypeNames): Target {
  return {
    type,
    entity,
    module: './entity.ts',
    resourceFile: `resources/${type}/resource.ts`,
    entityFile: `resources/${type}/entity.ts`,
    hasFactory: true,
  }
}

/** Returns all declared types by name. */
export async function declaredTargets(discovery: Discovery): Promise<Map<string, Target>> {
  const entityFiles = new Map<unknown, string>()
  for (const folder of discovery.folders) {
    if (!folder.entity) continue
    for (const entity of await loadEntities({ ...discovery, folders: [folder] })) entityFiles.set(entity, folder.entity)
  }
  const declared = await declaredResources(discovery)
  const targets = declared.map(({ file, resource: { entity, declaration } }): Target => {
    const entityFile = entityFiles.get(entity)
    const folder = entityFile && dirname(entityFile)
    return {
      type: declaration.type,
      entity: entityFile && entity ? entity.name : '',
      module: folder ? `#${relative(discovery.root, folder)}/entity.ts` : '',
      resourceFile: file,
      entityFile: entityFile ? relative(discovery.root, entityFile) : '',
      hasFactory: folder !== undefined && existsSync(join(folder, 'factory.ts')),
    }
  })
  return new Map(targets.map((target) => [target.type, target]))
}
