import type { ApiResponse } from '#kernel'
import { cancel } from '#plugins/async-writes/index.ts'
import type { HookContext } from '#plugins/lifecycle/index.ts'
import { ExportJob } from '#resources/export-jobs/entity.ts'
import type { CatalogExport } from './entity.ts'
import { exportCatalog } from './job.ts'

const cancelled = new WeakSet<CatalogExport>()

/** Cancels the queued job of an export; the database deletes its row together with the export. */
export async function cancelExport(entity: CatalogExport, { context }: HookContext): Promise<void> {
  const where = { catalogExport: entity.id, state: 'processing' } as const
  const jobs = await context.unit.em.find(ExportJob, where, { disableIdentityMap: true })
  for (const { id } of jobs) await cancel(exportCatalog, id, context)
  if (jobs.length > 0) cancelled.add(entity)
}

export function tellCancelled(entity: CatalogExport): ApiResponse | undefined {
  return cancelled.has(entity) ? { kind: 'meta', status: 200, meta: { cancelled: true } } : undefined
}
