import { inspect } from 'node:util'
import { pino } from 'pino'

/** Formats an entry of pino as `12:34:56.789 INFO  Request GET /albums 200 3.1 ms`; the stack of an error follows. */
export function formatLogLine(json: string): string {
  const { level, time, pid: _, hostname: __, msg = '', err, ...details } = JSON.parse(json)
  const label = (pino.levels.labels[level] ?? String(level)).toUpperCase().padEnd(5)
  const clock = new Date(time).toISOString().slice(11, 23)
  const stack = err?.stack ? `\n${String(err.stack).replace(/^/gm, '    ')}` : ''
  return `${clock} ${label} ${[msg, ...describe(details)].filter(Boolean).join(' ')}${stack}\n`
}

/** Omits the names of the fields of a request, and the fields that only programs evaluate. */
function describe({
  method,
  path,
  status,
  milliseconds,
  route,
  requestId,
  ...others
}: Record<string, unknown>): string[] {
  if (milliseconds === undefined) return toPairs({ method, path, status, requestId, ...others })
  return [...[method, path ?? route, status, `${milliseconds} ms`].map(String), ...toPairs(others)]
}

function toPairs(details: Readonly<Record<string, unknown>>): string[] {
  const given = Object.entries(details).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => `${name}=${toText(value)}`)
}

function toText(value: unknown): string {
  return typeof value === 'string' && /^\S+$/.test(value)
    ? value
    : inspect(value, { breakLength: Number.POSITIVE_INFINITY })
}
