import type { Store } from '../data/store.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import type { EntityClass } from '../schema/entity-types.ts'
import type { Field, Relation } from '../schema/field.ts'
import type { Registry, Resource } from '../schema/resource-type.ts'
import type { ReadDeclaration } from './read-declaration.ts'

/**
 * Binds each type without entity, provider and operations to the entity that relations lead to: the store reads its rows,
 * and its serializer renders them. A view of a view is bound in the next round.
 */
export function bindViews(
  declarations: readonly ReadDeclaration[],
  store: Store,
  registry: Registry,
): readonly ReadDeclaration[] {
  const entities = entitiesOfViews(declarations, store)
  if (entities.size === 0) return declarations
  const bound = declarations.map((declared): ReadDeclaration => {
    const { declaration } = declared.resource
    const [entity, ...others] = entities.get(declaration.type) ?? []
    if (!entity || !isView(declared.resource)) return declared
    const names = [entity, ...others].map(({ name }) => name).join(' and of ')
    if (others.length > 0) {
      const view = { name: declaration.type, file: declared.file }
      registry.fail(view, null, `It is a view of ${names}; a type has one entity.`)
    }
    return { ...declared, resource: { entity, declaration: { ...declaration, operations: 'none' } } }
  })
  return bindViews(bound, store, registry)
}

type Entities = ReadonlySet<EntityClass<object>>

/** The entities that relations of stored types lead to, by the name of the view. */
function entitiesOfViews(declarations: readonly ReadDeclaration[], store: Store): ReadonlyMap<string, Entities> {
  const resources = new Map(declarations.map(({ resource }) => [resource.declaration.type, resource]))
  const entities = new Map<string, Set<EntityClass<object>>>()
  for (const { resource, fields } of declarations) {
    for (const relation of resource.entity ? fields.filter(isRelation) : []) {
      const targets = relation.targetNames.flatMap((name) => resources.get(name) ?? [])
      const [view, ...otherViews] = targets.filter(isView)
      if (!view || otherViews.length > 0) continue
      const taken = targets.map(({ entity }) => entity)
      const free = memberEntities(resource.entity, relation, store).filter((entity) => !taken.includes(entity))
      const [entity] = free
      if (entity && free.length === 1) getOrCreate(entities, view.declaration.type, () => new Set()).add(entity)
    }
  }
  return entities
}

function isRelation(field: Field): field is Relation {
  return field.role === 'relation'
}

function isView({ entity, declaration: { provider, operations = [], readOnly } }: Resource): boolean {
  return entity === null && !provider && !readOnly && (operations === 'none' || operations.length === 0)
}

/** The entities of the members of a relation; those of a `morphToMany` are behind its association entity. */
function memberEntities(
  owner: Resource['entity'],
  { property, throughProperty }: Relation,
  store: Store,
): readonly EntityClass<object>[] {
  const targets = (owner && store.describe(owner)?.properties.get(property as string)?.targets) ?? []
  const [association] = targets
  if (throughProperty === null || !association) return targets
  return store.describe(association)?.properties.get(throughProperty)?.targets ?? []
}
