import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { dataDir as prepopulated } from '@electric-sql/pglite-prepopulatedfs'

const blockSize = 512

/**
 * Writes the files of an empty database into a folder.
 *
 * perf: `loadDataDir` of PGlite holds the archive and copies of all files in memory. Without it the first start of a service needs
 * 0.3 instead of 0.42 GB, and 2.8 instead of 3.4 s of CPU.
 */
export async function unpackEmptyDatabase(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const archive = gunzipSync(await (await prepopulated()).arrayBuffer())
  let offset = 0
  while (offset < archive.length) {
    const name = readText(archive, offset, 100)
    // Two empty blocks end an archive.
    if (name === '') return
    const size = Number.parseInt(readText(archive, offset + 124, 12), 8)
    const isFolder = readText(archive, offset + 156, 1) === '5'
    const start = offset + blockSize
    if (isFolder) mkdirSync(join(folder, name), { recursive: true })
    else writeFileSync(join(folder, name), archive.subarray(start, start + size))
    offset = start + Math.ceil(size / blockSize) * blockSize
  }
}

function readText(archive: Buffer, start: number, length: number): string {
  const end = archive.indexOf(0, start)
  return archive.toString('utf8', start, end === -1 ? start + length : Math.min(end, start + length))
}
