import type { ResourceType } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { buildUrl, read } from '#test/conformance/leaks/leak-request.ts'
import { sendAll, sendOne } from '#test/conformance/leaks/replies.ts'
import { readKeys } from '#test/conformance/leaks/rows.ts'
import { listServers } from '#test/conformance/leaks/run.ts'
import { readTableKey } from '#test/conformance/leaks/table-key.ts'
import { changedTables, readTables, restoreTables } from '#test/conformance/leaks/tables.ts'
import type { Prover } from './prover.ts'

/** The statuses that a principal gets at the URLs of the rows of a type. */
export interface Access {
  /** The ids of all rows. */
  readonly ids: readonly string[]
  /** The status by id; empty when the type has no such operation. */
  readonly reads: ReadonlyMap<string, number>
  readonly updates: ReadonlyMap<string, number>
  readonly deletes: ReadonlyMap<string, number>
}

/** The number of rows of a type that are checked. */
const mostRows = 20

const cache = new WeakMap<Prover, Map<string, Promise<Access>>>()

/** Sends each request once per principal and type, and restores the tables. */
export function findAccess(prover: Prover, type: ResourceType, principal: string | null): Promise<Access> {
  const cached = cache.get(prover) ?? new Map<string, Promise<Access>>()
  cache.set(prover, cached)
  const key = `${principal} ${type.name}`
  const access = cached.get(key) ?? readAccess(prover, type, principal)
  cached.set(key, access)
  return access
}

export function isDenial(status: number | undefined): boolean {
  return status === 401 || status === 403 || status === 404
}

/** Returns the current status of an update without changes, or of a deletion; the tables are restored. */
export async function statusNow(
  prover: Prover,
  type: ResourceType,
  id: string,
  method: 'PATCH' | 'DELETE',
  principal: string | null,
): Promise<number> {
  const path = buildUrl(listServers(prover, type)[0], type, id)
  const request = method === 'PATCH' ? { method, path, body: { data: { type: type.name, id } } } : { method, path }
  const base = await readTables(prover.app)
  const { status } = await sendOne(prover.url, request, principal)
  if (status < 400) await restoreTables(prover.app, base, changedTables(base, await readTables(prover.app)))
  return status
}

async function readAccess(prover: Prover, type: ResourceType, principal: string | null): Promise<Access> {
  const { app } = prover
  const ids = (await readKeys(app, type)).slice(0, mostRows).map(type.codec.encode)
  const [server] = listServers(prover, type)
  const pathOf = (id: string) => buildUrl(server, type, id)
  const has = (operation: 'FetchOne' | 'Update' | 'Delete') => (type.operations.has(operation) ? ids : [])
  const replies = await sendAll(
    prover.url,
    has('FetchOne').map((id) => read(pathOf(id))),
    principal,
  )
  const reads = new Map(has('FetchOne').map((id, index) => [id, replies[index]?.status ?? 0]))
  return {
    ids,
    reads,
    updates: await readStatuses(prover, type, has('Update'), 'PATCH', principal),
    deletes: await readStatuses(prover, type, has('Delete'), 'DELETE', principal),
  }
}

/** Sends nothing for a type without a policy, because it denies nothing by itself. */
async function readStatuses(
  prover: Prover,
  type: ResourceType,
  ids: readonly string[],
  method: 'PATCH' | 'DELETE',
  principal: string | null,
): Promise<Map<string, number>> {
  const { policy, scope } = type.declaration
  if ((policy === undefined || policy === open) && scope === undefined) return new Map(ids.map((id) => [id, 200]))
  const statuses = new Map<string, number>()
  for (const id of ids) statuses.set(id, await statusNow(prover, type, id, method, principal))
  return statuses
}

/** Returns the values of the rows by attribute name, read from the table. */
export async function readStoredValues(
  prover: Prover,
  type: ResourceType,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const { table, column } = await readTableKey(prover.app, type)
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
