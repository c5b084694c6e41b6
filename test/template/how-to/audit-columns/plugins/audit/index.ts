import { p } from '@mikro-orm/core'
import type { Operation, Plugin, ResourceType } from '#kernel/plugin'

/** Returns properties for an entity: `properties: { id: p.integer().primary(), ...auditColumns() }`. */
export const auditColumns = () => ({
  createdAt: p.datetime(3),
  createdBy: p.string().length(255).nullable(),
  updatedAt: p.datetime(3),
  updatedBy: p.string().length(255).nullable(),
})

/** Sets time and requester of the creation and the last change, for types whose entity has the columns. */
export function audit(): Plugin {
  return {
    name: 'audit',

    plan({ kind, type, action, beforeSave }) {
      if (type && hasAuditColumns(type) && kind !== 'Delete' && !action) beforeSave.push(setColumns)
    },
  }
}

function setColumns({ kind, context }: Operation, entity: object | null): void {
  const at = new Date()
  const by = context.principal?.identifier ?? null
  Object.assign(
    entity as object,
    { updatedAt: at, updatedBy: by },
    kind === 'Create' && { createdAt: at, createdBy: by },
  )
}

function hasAuditColumns({ shape }: ResourceType): boolean {
  return Object.keys(auditColumns()).every((name) => shape.properties.has(name))
}
