import { expect } from 'chai'
import type { ResourceType } from '#kernel'
import type { Server } from '#kernel/plugin'
import { markDirty } from '#test/support/app.ts'
import type { LockedRows } from './changes.ts'
import { buildUrl, type HiddenRows, type LeakRequest, read } from './leak-request.ts'
import type { Served } from './matrix.ts'
import { type Includes, pathsFrom } from './reads.ts'
import { sendAll } from './replies.ts'
import { type Denial, type RowDenialOptions, RowDenials } from './row-denials.ts'
import { allKeys, readKeys, sampleResource, setTrashed } from './rows.ts'

/** An application whose rows can be denied to the principal `restricted`; `unrestricted` is denied nothing. */
export interface LeakRun extends Served {
  readonly denials: RowDenials
  readonly types: readonly ResourceType[]
  /** The types with rows in the database. */
  readonly stored: readonly ResourceType[]
  /** Whether rows are created if there are fewer than two. */
  readonly makesRows: boolean
  close(): Promise<void>
}

export async function startRun(options: RowDenialOptions, makesRows = true): Promise<LeakRun> {
  const denials = new RowDenials(options)
  const { app, client, close } = await denials.start()
  const types = [...app.registry.types.values()]
  const stored = types.filter(({ isStandalone }) => !isStandalone)
  // The created rows stay for the other tests of the run: each test leaves the tables as they were.
  const closeAndReset = () => {
    markDirty()
    return close()
  }
  return { app, url: client.url, denials, types, stored, makesRows, close: closeAndReset }
}

export function listServers({ app }: Served, type: ResourceType): [Server, ...Server[]] {
  return app.servers.filter(({ types: offered }) => offered.has(type.name)) as [Server, ...Server[]]
}

/** Denies every other row, or all rows if an ability is decided without a row. */
export async function hideRows(run: LeakRun, type: ResourceType, denial: Denial, isAll = false): Promise<HiddenRows> {
  if (type.operations.has('Create')) await fill(run, type)
  const { ids, others } = await denyRows(run, type, denial, isAll)
  const values = await readValues(run, type, ids)
  if (denial === 'trashed') await setTrashed(run.app, type, ids.map(type.codec.decode), true)
  return { type, ids, values, visible: others }
}

/** Denies the rows for changes, with rows of every type around them. */
export async function lockRows(run: LeakRun, type: ResourceType, denial: Denial, isAll = false): Promise<LockedRows> {
  const keys = await allKeys(run.app, run.stored)
  for (const other of run.stored) {
    if ((keys.get(other) ?? []).length < 2 && other.operations.has('Create')) await fill(run, other)
  }
  const required = new Map<ResourceType, object>()
  for (const other of run.stored) required.set(other, await requiredRelationships(run, other))
  const { ids, others } = await denyRows(run, type, denial, isAll)
  return { type, ids, changeable: others, required }
}

/** Returns the ids of the denied rows, and of the other rows of every type. */
async function denyRows({ app, stored, denials }: LeakRun, type: ResourceType, denial: Denial, isAll: boolean) {
  const keys = await allKeys(app, stored)
  const own = keys.get(type) ?? []
  expect(own, `rows of ${type.name}: its seed has none, and none can be created`).not.to.be.empty
  const denied = own.filter((_, index) => isAll || index % 2 === 0)
  const others = new Map<ResourceType, string[]>()
  for (const other of stored) {
    const left = (keys.get(other) ?? []).filter((key) => other.entity !== type.entity || !denied.includes(key))
    others.set(other, left.map(other.codec.encode))
  }
  const types = stored.filter(({ entity }) => entity === type.entity)
  if (denial !== 'trashed') denials.deny(types, denied, denial)
  return { ids: denied.map(type.codec.encode), others }
}

/** Creates rows until there are two; the second refers to the first wherever it can. */
export async function fill(run: LeakRun, type: ResourceType): Promise<void> {
  const { app, url, makesRows } = run
  if (!makesRows) return
  const [server] = listServers(run, type)
  for (let keys = await readKeys(app, type); keys.length < 2; keys = await readKeys(app, type)) {
    const sample = sampleResource(type, keys.length + 1)
    const first = keys[0] === undefined ? null : { type: type.name, id: type.codec.encode(keys[0]) }
    const own = type.relations.filter(({ targets, toMany }) => !toMany && targets.includes(type))
    const data = {
      ...sample,
      relationships: {
        ...(await requiredRelationships(run, type)),
        ...(first && Object.fromEntries(own.map(({ name }) => [name, { data: first }]))),
      },
    }
    const [response] = await sendAll(
      url,
      [{ method: 'POST', path: buildUrl(server, type), body: { data } }],
      'unrestricted',
    )
    expect(response?.status, `a sample of ${type.name}: ${response?.text}`).to.equal(201)
  }
}

/** Returns the relationships that a new row requires. */
async function requiredRelationships(run: LeakRun, { relations }: ResourceType): Promise<Record<string, object>> {
  const required: Record<string, object> = {}
  for (const { name, target } of relations.filter(({ options, toMany }) => options.rules?.required && !toMany)) {
    await fill(run, target)
    const [key] = await readKeys(run.app, target)
    if (key !== undefined) required[name] = { data: { type: target.name, id: target.codec.encode(key) } }
  }
  return required
}

async function readValues(run: LeakRun, type: ResourceType, ids: readonly string[]): Promise<Map<string, string[]>> {
  const [server] = listServers(run, type)
  const requests = ids.map((id) => read(buildUrl(server, type, id)))
  const values = new Map<string, string[]>()
  for (const { status, text } of await sendAll(run.url, requests, 'unrestricted')) {
    if (status !== 200) continue
    for (const [name, value] of Object.entries(JSON.parse(text).data.attributes ?? {})) {
      if (value !== null) values.set(name, [...(values.get(name) ?? []), String(value)])
    }
  }
  return values
}

/** Returns pages that begin at a row, with a cursor of another principal. */
export async function readCursors(
  run: Served,
  type: ResourceType,
  minter: string | null = 'unrestricted',
): Promise<LeakRequest[]> {
  const urls = listServers(run, type).map((server) => `${buildUrl(server, type)}?page[size]=1`)
  const responses = await sendAll(run.url, urls.map(read), minter)
  const links = responses.map(({ text }) => String(JSON.parse(text).links?.next ?? ''))
  return links.filter((link) => link.includes('after')).map((link) => read(link.slice(run.url.length)))
}

/** Returns the include paths that the server accepts. */
export async function findIncludes({ app, url }: Served, principal: string | null = 'unrestricted'): Promise<Includes> {
  const includes = new Map<string, readonly string[]>()
  for (const server of app.servers) {
    for (const type of server.types.values()) {
      const path = buildUrl(server, type)
      const { maxIncludeDepth = 0 } = server.options
      const depth = maxIncludeDepth > 0 ? Math.min(maxIncludeDepth, 3) : 3
      const paths = pathsFrom(type, depth)
      const requests = paths.map((include) => read(`${path}?include=${include}&page[size]=0`))
      const responses = await sendAll(url, requests, principal)
      includes.set(
        path,
        paths.filter((_, index) => responses[index]?.status !== 400),
      )
    }
  }
  return includes
}
