import type { AttributeKind } from './definition.ts'

/** Between the value of a property and its form in a document. Null never reaches a codec. */
export interface Codec {
  /** Null when both forms are the same. */
  readonly toWire: ((value: unknown) => unknown) | null
  /** Undefined when the value is not of the kind: nothing is coerced. */
  fromWire(value: unknown): unknown
}

const text = (value: unknown) => (typeof value === 'string' && !value.includes('\0') ? value : undefined)

export const codecs: Readonly<Record<AttributeKind, Codec>> = {
  string: { toWire: null, fromWire: text },
  url: { toWire: null, fromWire: text },
  integer: { toWire: Number, fromWire: (value) => (Number.isSafeInteger(value) ? value : undefined) },
  decimal: { toWire: Number, fromWire: (value) => (Number.isFinite(value) ? value : undefined) },
  boolean: { toWire: null, fromWire: (value) => (typeof value === 'boolean' ? value : undefined) },
  dateTime: { toWire: (value) => formatDateTime(value as Date), fromWire: parseDateTime },
  date: { toWire: null, fromWire: parseDate },
  time: {
    toWire: null,
    fromWire: (value) => (typeof value === 'string' && timePattern.test(value) ? value : undefined),
  },
  list: { toWire: null, fromWire: (value) => (Array.isArray(value) && value.every(isScalar) ? value : undefined) },
  map: { toWire: null, fromWire: (value) => (isObject(value) ? value : undefined) },
}

const timePattern = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/
const datePattern = /^\d{4}-\d{2}-\d{2}$/
const dateTimePattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/i

/** RFC 3339 in UTC with whole seconds: `1997-05-21T00:00:00+00:00`. */
function formatDateTime(value: Date): string {
  return `${value.toISOString().slice(0, -5)}+00:00`
}

/** Without an offset the time is read in UTC. */
function parseDateTime(value: unknown): Date | undefined {
  const match = typeof value === 'string' ? dateTimePattern.exec(value) : null
  if (!match || !parseDate(match[1]) || !timePattern.test(match[2] as string)) return undefined
  const date = new Date(match[4] ? (value as string) : `${value}Z`)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** A day that is in the calendar. */
export function parseDate(value: unknown): string | undefined {
  if (typeof value !== 'string' || !datePattern.test(value) || value.startsWith('0000')) return undefined
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' ? !value.includes('\0') : typeof value === 'boolean' || Number.isFinite(value)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
