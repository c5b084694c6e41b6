import type { ResourceType } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { sendAll, sendOne } from '#test/support/leaks/replies.ts'
import { keysOf, placeOf } from '#test/support/leaks/rows.ts'
import { serversOf } from '#test/support/leaks/run.ts'
import { changedTables, readTables, restoreTables } from '#test/support/leaks/tables.ts'
import { read, urlOf } from '#test/support/leaks/way.ts'
import type { Prover } from './prover.ts'

/** What a principal may do with rows of a type, by the URLs of the rows. */
export interface Access {
  /** All of them, of whichever status. */
  readonly ids: readonly string[]
  /** The status of each, by id; empty when the type has no such operation. */
  readonly reads: ReadonlyMap<string, number>
  readonly updates: ReadonlyMap<string, number>
  readonly deletes: ReadonlyMap<string, number>
}

/** Rows of a type that are looked at. */
const mostRows = 20

const cache = new WeakMap<Prover, Map<string, Promise<Access>>>()

/** Sends each request once per principal and type, and leaves the tables as they were. */
export function accessOf(prover: Prover, type: ResourceType, who: string | null): Promise<Access> {
  const known = cache.get(prover) ?? new Map<string, Promise<Access>>()
  cache.set(prover, known)
  const key = `${who} ${type.name}`
  const access = known.get(key) ?? readAccess(prover, type, who)
  known.set(key, access)
  return access
}

export function isDenial(status: number | undefined): boolean {
  return status === 401 || status === 403 || status === 404
}

/** The status of an update without changes, or of a deletion, as it would be now; the tables stay as they are. */
export async function statusNow(
  prover: Prover,
  type: ResourceType,
  id: string,
  method: 'PATCH' | 'DELETE',
  who: string | null,
): Promise<number> {
  const path = urlOf(serversOf(prover, type)[0], type, id)
  const way = method === 'PATCH' ? { method, path, body: { data: { type: type.name, id } } } : { method, path }
  const base = await readTables(prover.app)
  const { status } = await sendOne(prover.url, way, who)
  if (status < 400) await restoreTables(prover.app, base, changedTables(base, await readTables(prover.app)))
  return status
}

async function readAccess(prover: Prover, type: ResourceType, who: string | null): Promise<Access> {
  const { app } = prover
  const ids = (await keysOf(app, type)).slice(0, mostRows).map(type.codec.encode)
  const [server] = serversOf(prover, type)
  const pathOf = (id: string) => urlOf(server, type, id)
  const has = (operation: 'FetchOne' | 'Update' | 'Delete') => (type.operations.has(operation) ? ids : [])
  const replies = await sendAll(
    prover.url,
    has('FetchOne').map((id) => read(pathOf(id))),
    who,
  )
  const reads = new Map(has('FetchOne').map((id, index) => [id, replies[index]?.status ?? 0]))
  return {
    ids,
    reads,
    updates: await statusesOf(prover, type, has('Update'), 'PATCH', who),
    deletes: await statusesOf(prover, type, has('Delete'), 'DELETE', who),
  }
}

/** A type without a policy refuses nothing by itself, so that nothing is sent. */
async function statusesOf(
  prover: Prover,
  type: ResourceType,
  ids: readonly string[],
  method: 'PATCH' | 'DELETE',
  who: string | null,
): Promise<Map<string, number>> {
  const { policy, scope } = type.declaration
  if ((policy === undefined || policy === open) && scope === undefined) return new Map(ids.map((id) => [id, 200]))
  const statuses = new Map<string, number>()
  for (const id of ids) statuses.set(id, await statusNow(prover, type, id, method, who))
  return statuses
}

/** What the rows hold, by the name of the attribute, read from the table. */
export async function valuesOf(
  prover: Prover,
  type: ResourceType,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const { table, column } = await placeOf(prover.app, type)
  const keys = new Set(ids.map((id) => String(type.codec.decode(id))))
  const lines = (await readTables(prover.app)).get(table) ?? []
  const rows = lines.map((line) => JSON.parse(line)).filter((row) => keys.has(String(row[column])))
  const values = new Map<string, string[]>()
  for (const { name, property } of type.attributes) {
    const stored = type.shape.properties.get(property ?? '')?.column
    const held = rows.map((row) => row[stored ?? '']).filter((value) => value !== null && value !== undefined)
    if (held.length > 0) values.set(name, held.map(String))
  }
  return values
}
