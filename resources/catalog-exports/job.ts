import { defineJob } from '#plugins/async-writes/index.ts'
import { Album } from '#resources/albums/entity.ts'
import { ExportJob } from '#resources/export-jobs/entity.ts'
import { CatalogExport } from './entity.ts'

interface ExportData {
  readonly exportId: number
  readonly format: string
}

/** Writes the published albums down, as CSV or else as JSON; the export is ready when the job is completed. */
export const exportCatalog = defineJob<ExportData>('export-catalog', async ({ exportId, format }, job) => {
  const albums = await job.store.read(({ em }) =>
    em.find(Album, { published: true }, { populate: ['artist'], orderBy: { id: 'asc' } }),
  )
  const rows = albums.map(({ id, title, artist }) => ({ id, title, artist: artist?.$.name ?? null }))
  const content = format === 'csv' ? rows.map(toCsv).join('\r\n') : JSON.stringify(rows)

  await job.finish(async ({ em }) => {
    if ((await em.count(ExportJob, { id: job.id, state: 'processing' })) === 0) return
    await em.nativeUpdate(CatalogExport, { id: exportId }, { status: 'ready', content })
    await em.nativeUpdate(ExportJob, { id: job.id }, { state: 'completed' })
  })
})

function toCsv(row: object): string {
  return Object.values(row)
    .map((value) => `"${String(value ?? '').replaceAll('"', '""')}"`)
    .join(',')
}
