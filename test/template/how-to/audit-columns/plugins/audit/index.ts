import { p } from '@mikro-orm/core'
import type { Plugin, ResourceType } from '#kernel/plugin'

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
    appliesTo: hasAuditColumns,

    beforeSave({ kind, context, target }, entity) {
      if (kind === 'Delete' || !hasAuditColumns(target.type)) return
      const at = new Date()
      const by = context.principal?.identifier ?? null
      Object.assign(entity, { updatedAt: at, updatedBy: by }, kind === 'Create' && { createdAt: at, createdBy: by })
    },
  }
}

function hasAuditColumns({ shape }: ResourceType): boolean {
  return Object.keys(auditColumns()).every((name) => shape.properties.has(name))
}
