import Joi from 'joi'

export interface SizeOptions {
  /** Items per page if the client sends no size. */
  readonly size?: number
  /** The largest page size a client may request; 0 is no limit. */
  readonly max?: number
}

/** The form of the options of paginators. */
export const sizeForms = {
  size: Joi.number().integer().min(1),
  max: Joi.number().integer().min(0),
}

/** Returns the fallback for a text that is not an integer. */
export function readInteger(text: string | undefined, fallback: number): number {
  return text !== undefined && /^-?[0-9]+$/.test(text) ? Number(text) : fallback
}

/** Returns the requested size, limited by the paginator and by the largest page of the query. */
export function clampSize(
  text: string | undefined,
  { size = 15, max = 100 }: SizeOptions,
  maxPageSize: number,
): number {
  const requested = Math.max(0, readInteger(text, size))
  return Math.min(requested, max > 0 ? max : maxLimit, maxPageSize)
}

const maxLimit = 1_000_000

/** Limits an offset to integers that are exact in JavaScript; PostgreSQL accepts larger ones. */
export function clampOffset(offset: number): number {
  return Math.min(Math.max(0, offset), Number.MAX_SAFE_INTEGER)
}
