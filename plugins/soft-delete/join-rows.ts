import type { EntityManager, EntityMetadata } from '@mikro-orm/core'
import type { ResourceType } from '#kernel/plugin'

/** Deletes the rows of join tables that refer to a row, by one statement per join table. */
export async function deleteJoinRows(type: ResourceType, row: object, em: EntityManager): Promise<void> {
  const key = type.persister.keyOf(type, row)
  for (const { meta, property } of joinColumns(type, em)) {
    await em.nativeDelete(meta.class, { [property]: key } as never)
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
