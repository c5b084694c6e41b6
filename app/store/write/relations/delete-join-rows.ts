import type { EntityManager, EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Context, Registry, ResourceType } from '#kernel/store'
import { emOf } from '../../unit.ts'

/** Deletes the rows of join tables and association entities that refer to a row, by one statement per column. */
export async function deleteJoinRows(type: ResourceType, row: object, context: Context): Promise<void> {
  const em = emOf(context)
  const key = type.persister.keyOf(type, row)
  for (const { meta, property } of joinColumns(type, em)) {
    await em.nativeDelete(meta.class, { [property]: key } as never)
  }
  for (const { meta, member, parent, relation } of polymorphicAssociations(em, context.app.registry)) {
    if (relation.owner === type) await em.nativeDelete(meta.class, { [parent]: key } as never)
    if (relation.targets.includes(type)) await em.nativeDelete(meta.class, { [member]: row } as never)
  }
}

/** The properties of association entities that refer to the entity of a type. */
function joinColumns({ entity }: ResourceType, em: EntityManager) {
  const metas = [...em.getMetadata().getAll().values()] as EntityMetadata[]
  const relations = metas.flatMap(({ props }) => props).filter(({ kind, owner }) => kind === 'm:n' && owner)
  const isOfEntity = (target: unknown) =>
    target === entity || (typeof target === 'function' && entity.prototype instanceof target)
  return metas
    .filter((meta) =>
      relations.some(({ pivotEntity }) => pivotEntity === meta.class || String(pivotEntity) === meta.className),
    )
    .flatMap((meta) =>
      meta.props
        .filter(({ kind, targetMeta }) => kind === 'm:1' && isOfEntity(targetMeta?.class))
        .map(({ name }) => ({ meta, property: name })),
    )
}

/** The association entities of polymorphic to-many relations, and their properties that refer to the member and the parent. */
function polymorphicAssociations(em: EntityManager, { types }: Registry) {
  const relations = [...types.values()].flatMap((type) => type.relations)
  return relations.flatMap((relation) => {
    const { owner, property, throughProperty } = relation
    if (throughProperty === null) return []
    const collection = em.getMetadata().get(owner.entity).properties[property as never] as EntityProperty
    const meta = collection.targetMeta as EntityMetadata
    return [{ meta, member: throughProperty, parent: collection.mappedBy, relation }]
  })
}
