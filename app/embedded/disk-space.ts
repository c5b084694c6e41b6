import { statfs } from 'node:fs/promises'

/** Bytes that writes leave free: four segments of the write-ahead log. */
const reserve = 64 * 2 ** 20
/** Milliseconds for which a measured value is used. */
const validity = 1_000

/** PostgreSQL's code for a full disk. */
class DiskFullError extends Error {
  readonly code = '53100'
}

/**
 * Creates a check that throws a DiskFullError while the disk of the embedded database is nearly full. PGlite never returns
 * from a commit that needs the next segment of the write-ahead log on a full disk, and blocks the event loop.
 */
export function createDiskSpaceCheck(freeBytes: () => Promise<number>): () => Promise<void> {
  let measuredAt = Number.NEGATIVE_INFINITY
  let isFull = false
  return async () => {
    if (isFull || performance.now() - measuredAt > validity) {
      isFull = (await freeBytes()) < reserve
      measuredAt = performance.now()
    }
    if (isFull) throw new DiskFullError(`Less than ${reserve} bytes are free on the disk of the database.`)
  }
}

/** Returns the number of bytes that this process may use on the disk of the directory. */
export async function readFreeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
