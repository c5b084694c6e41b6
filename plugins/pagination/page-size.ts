export interface SizeOptions {
  /** Items per page when the client does not say. */
  readonly size?: number
  /** The largest page a client may ask for; 0 is no limit. */
  readonly max?: number
}

/** A page value that is not a whole number counts as not sent. */
export function readInteger(text: string | undefined, fallback: number): number {
  return text !== undefined && /^-?[0-9]+$/.test(text) ? Number(text) : fallback
}

/** The size that was sent, cut down to the cap of the paginator and to the largest page of the query. */
export function clampSize(
  text: string | undefined,
  { size = 15, max = 100 }: SizeOptions,
  maxPageSize: number,
): number {
  const wanted = Math.max(0, readInteger(text, size))
  return Math.min(wanted, max > 0 ? max : maxLimit, maxPageSize)
}

const maxLimit = 1_000_000

/** The largest offset PostgreSQL takes is far above; a number beyond this cannot be exact. */
export function clampOffset(offset: number): number {
  return Math.min(Math.max(0, offset), Number.MAX_SAFE_INTEGER)
}
