import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Context, ResourceType, StatementWriter } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { unitOf } from '../unit.ts'
import { deleteRow } from './delete-row.ts'
import { entityWriterReason } from './entity-writer-reason.ts'
import { lockRow } from './load-for-update.ts'
import { addMembers, addsMembers } from './relations/relate-members.ts'
import { writeRows } from './write-rows.ts'

/** Writes rows by `insert`, `update` and `delete`, without entities. */
export function createStatementWriter(orm: Orm): StatementWriter {
  return {
    entityWriterReason: (type) => entityWriterReason(type, orm),
    lock: lockRow,
    addsMembers: (relation) => addsMembers(relation, orm),
    addMembers,

    write(write, context) {
      if (!unitOf(context).hasEntities) return writeRows(write, context)
      return besideEntities(write.type, write.row?.key, context, () => writeRows(write, context))
    },

    remove(row, context) {
      if (!unitOf(context).hasEntities) return deleteRow(row, context)
      return besideEntities(row.type, row.key, context, () => deleteRow(row, context))
    },
  }
}

/**
 * Runs a statement that writes a row while the unit has entities. Changes that hooks have made to them are saved before, so
 * that the statement sees them. The entity of the written row has its stored values afterwards.
 */
async function besideEntities<T>(
  type: ResourceType,
  key: unknown,
  context: Context,
  run: () => Promise<T>,
): Promise<T> {
  const unit = unitOf(context)
  await unit.saveEntities()
  const result = await run()
  if (key !== undefined) await refreshEntity(type, key, unit.entityManager)
  return result
}

async function refreshEntity({ entity }: ResourceType, key: unknown, em: SqlEntityManager): Promise<void> {
  const managed = em.getUnitOfWork().getById(entity, key as never)
  if (!managed) return
  if (!(await em.refresh(managed as object))) em.getUnitOfWork().unsetIdentity(managed as object)
}
