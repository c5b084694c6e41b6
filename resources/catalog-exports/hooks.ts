import type { ApiResponse, Context } from '#kernel'
import { cancel } from '#plugins/async-writes/index.ts'
import type { AfterContext, HookContext } from '#plugins/lifecycle/index.ts'
import { ExportJob } from '#resources/export-jobs/entity.ts'
import type { CatalogExport } from './entity.ts'
import { exportCatalog } from './job.ts'

declare module '#kernel' {
  interface Context {
    /** Whether the operation has cancelled the job of the export that it deletes. */
    hasCancelledExport?: boolean
  }
}

/** Cancels the queued job of an export; the database deletes its row together with the export. */
export async function cancelExport({ id: catalogExport }: CatalogExport, hook: HookContext): Promise<void> {
  const context: Context = hook.context
  const where = { catalogExport, state: 'processing' } as const
  const jobs = await context.unit.em.find(ExportJob, where, { disableIdentityMap: true })
  for (const { id } of jobs) await cancel(exportCatalog, id, context)
  context.hasCancelledExport = jobs.length > 0
}

export function reportCancellation(_entity: CatalogExport, hook: AfterContext): ApiResponse | undefined {
  const { hasCancelledExport }: Context = hook.context
  return hasCancelledExport ? { kind: 'meta', status: 200, meta: { cancelled: true } } : undefined
}
