import type { Context, ResourceType, StatementWriter } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { unitOf } from '../unit.ts'
import { deleteRow } from './delete-row.ts'
import { lockRow } from './load-for-update.ts'
import { reasonForEntities } from './reason-for-entities.ts'
import { addMembers, addsMembers } from './relate.ts'
import { writeRows } from './write-rows.ts'

/** Writes rows by `insert`, `update` and `delete`, without entities. */
export function createStatementWriter(orm: Orm): StatementWriter {
  return {
    reasonForEntities: (type) => reasonForEntities(type, orm),
    lock: lockRow,
    addsMembers: (relation) => addsMembers(relation, orm),
    addMembers,

    async write(write, context) {
      await saveEntities(context)
      const rows = await writeRows(write, context)
      if (write.row) await refreshEntity(write.type, write.row.key, context)
      return rows
    },

    async remove(row, context) {
      await saveEntities(context)
      const isRemoved = await deleteRow(row, context)
      await refreshEntity(row.type, row.key, context)
      return isRemoved
    },
  }
}

/** Writes the changes that hooks have made to entities: the statement sees them. */
async function saveEntities(context: Context): Promise<void> {
  const unit = unitOf(context)
  if (unit.hasEntities) await unit.saveEntities()
}

/** Gives the entity of a written row, which a hook has loaded, its stored values. */
async function refreshEntity({ entity }: ResourceType, key: unknown, context: Context): Promise<void> {
  const unit = unitOf(context)
  if (!unit.hasEntities) return
  const em = unit.entityManager
  const managed = em.getUnitOfWork().getById(entity, key as never)
  if (!managed) return
  if (!(await em.refresh(managed as object))) em.getUnitOfWork().unsetIdentity(managed as object)
}
