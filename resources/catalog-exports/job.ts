import { defineJob, type JobRun } from '#plugins/async-writes/index.ts'
import { Album } from '#resources/albums/entity.ts'
import { ExportJob } from '#resources/export-jobs/entity.ts'
import { CatalogExport } from './entity.ts'

interface ExportData {
  readonly exportId: number
  readonly format: string
}

/** Exports the published albums as CSV, or as JSON for any other format. */
export const exportCatalog = defineJob<ExportData>('export-catalog', async ({ exportId, format }, job) => {
  const rows = await readAlbums(job.store)
  const content = format === 'csv' ? rows.map(toCsv).join('\r\n') : JSON.stringify(rows)

  await job.finish(async ({ em }) => {
    if ((await em.count(ExportJob, { id: job.id, state: 'processing' })) === 0) return
    await em.nativeUpdate(CatalogExport, { id: exportId }, { status: 'ready', content })
    await em.nativeUpdate(ExportJob, { id: job.id }, { state: 'completed' })
  })
})

const pageSize = 1000

/** Reads in pages: one large result would block the event loop and delay requests. */
async function readAlbums(store: JobRun['store']): Promise<object[]> {
  const rows: { id: number; title: string; artist: string | null }[] = []
  let count: number
  do {
    const after = rows.at(-1)?.id ?? 0
    const page = await store.read(({ em }) =>
      em.find(
        Album,
        { published: true, id: { $gt: after } },
        { fields: ['title', 'artist.name'], orderBy: { id: 'asc' }, limit: pageSize },
      ),
    )
    for (const { id, title, artist } of page) rows.push({ id, title, artist: artist?.$.name ?? null })
    count = page.length
  } while (count === pageSize)
  return rows
}

function toCsv(row: object): string {
  return Object.values(row)
    .map((value) => `"${String(value ?? '').replaceAll('"', '""')}"`)
    .join(',')
}
