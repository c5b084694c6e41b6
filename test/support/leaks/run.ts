import { expect } from 'chai'
import type { ResourceType } from '#kernel'
import type { Server } from '#kernel/plugin'
import { markDirty } from '../app.ts'
import { Blindfold, type BlindfoldOptions, type Denial } from './blindfold.ts'
import type { Locked } from './changes.ts'
import type { Served } from './matrix.ts'
import { type Includes, pathsFrom } from './reads.ts'
import { sendAll } from './replies.ts'
import { allKeys, keysOf, sampleOf } from './rows.ts'
import { type Hidden, read, urlOf, type Way } from './way.ts'

/** An application whose rows can be denied to the principal `blind`; `seer` is denied nothing. */
export interface LeakRun extends Served {
  readonly blindfold: Blindfold
  readonly types: readonly ResourceType[]
  /** Those with rows in the database. */
  readonly stored: readonly ResourceType[]
  /** Whether rows are made where there are fewer than two. */
  readonly makesRows: boolean
  close(): Promise<void>
}

export async function startRun(options: BlindfoldOptions, makesRows = true): Promise<LeakRun> {
  const blindfold = new Blindfold(options)
  const { app, client, close } = await blindfold.start()
  const types = [...app.registry.types.values()]
  const stored = types.filter(({ isStandalone }) => !isStandalone)
  // The rows that are made stay for the other tests of the run: each of them leaves the tables as they were.
  const closeAndReset = () => {
    markDirty()
    return close()
  }
  return { app, url: client.url, blindfold, types, stored, makesRows, close: closeAndReset }
}

export function serversOf({ app }: Served, type: ResourceType): [Server, ...Server[]] {
  return app.servers.filter(({ types: offered }) => offered.has(type.name)) as [Server, ...Server[]]
}

/** Denies every other row, or all rows where an ability is decided without one. */
export async function hideRows(run: LeakRun, type: ResourceType, denial: Denial, isAll = false): Promise<Hidden> {
  if (type.operations.has('Create')) await fill(run, type)
  const { ids, others } = await denyRows(run, type, denial, isAll)
  return { type, ids, values: await valuesOf(run, type, ids), visible: others }
}

/** The same, as rows that may not be changed, with rows of every type around them. */
export async function lockRows(run: LeakRun, type: ResourceType, denial: Denial, isAll = false): Promise<Locked> {
  const keys = await allKeys(run.app, run.stored)
  for (const one of run.stored) {
    if ((keys.get(one) ?? []).length < 2 && one.operations.has('Create')) await fill(run, one)
  }
  const required = new Map<ResourceType, object>()
  for (const one of run.stored) required.set(one, await requiredOf(run, one))
  const { ids, others } = await denyRows(run, type, denial, isAll)
  return { type, ids, changeable: others, required }
}

/** The ids of the denied rows, and of the other rows of every type. */
async function denyRows({ app, stored, blindfold }: LeakRun, type: ResourceType, denial: Denial, isAll: boolean) {
  const keys = await allKeys(app, stored)
  const own = keys.get(type) ?? []
  expect(own, `rows of ${type.name}: its seed has none, and none can be made`).not.to.be.empty
  const denied = own.filter((_, index) => isAll || index % 2 === 0)
  const others = new Map<ResourceType, string[]>()
  for (const one of stored) {
    const left = (keys.get(one) ?? []).filter((key) => one.entity !== type.entity || !denied.includes(key))
    others.set(one, left.map(one.codec.encode))
  }
  const types = stored.filter(({ entity }) => entity === type.entity)
  blindfold.hide(types, denied, denial)
  return { ids: denied.map(type.codec.encode), others }
}

/** Makes rows until there are two, of which the second leads to the first wherever it can. */
export async function fill(run: LeakRun, type: ResourceType): Promise<void> {
  const { app, url, makesRows } = run
  if (!makesRows) return
  const [server] = serversOf(run, type)
  for (let keys = await keysOf(app, type); keys.length < 2; keys = await keysOf(app, type)) {
    const sample = sampleOf(type, keys.length + 1)
    const first = keys[0] === undefined ? null : { type: type.name, id: type.codec.encode(keys[0]) }
    const own = type.relations.filter(({ targets, toMany }) => !toMany && targets.includes(type))
    const data = {
      ...sample,
      ...(sample.id && { id: `${sample.id}-${keys.length}` }),
      relationships: {
        ...(await requiredOf(run, type)),
        ...(first && Object.fromEntries(own.map(({ name }) => [name, { data: first }]))),
      },
    }
    const [answer] = await sendAll(url, [{ method: 'POST', path: urlOf(server, type), body: { data } }], 'seer')
    expect(answer?.status, `a sample of ${type.name}: ${answer?.text}`).to.equal(201)
  }
}

/** What a new row must lead to. */
async function requiredOf(run: LeakRun, { relations }: ResourceType): Promise<Record<string, object>> {
  const required: Record<string, object> = {}
  for (const { name, target } of relations.filter(({ options, toMany }) => options.rules?.required && !toMany)) {
    await fill(run, target)
    const [key] = await keysOf(run.app, target)
    if (key !== undefined) required[name] = { data: { type: target.name, id: target.codec.encode(key) } }
  }
  return required
}

async function valuesOf(run: LeakRun, type: ResourceType, ids: readonly string[]): Promise<Map<string, string[]>> {
  const [server] = serversOf(run, type)
  const ways = ids.map((id) => read(urlOf(server, type, id)))
  const values = new Map<string, string[]>()
  for (const { status, text } of await sendAll(run.url, ways, 'seer')) {
    if (status !== 200) continue
    for (const [name, value] of Object.entries(JSON.parse(text).data.attributes ?? {})) {
      if (value !== null) values.set(name, [...(values.get(name) ?? []), String(value)])
    }
  }
  return values
}

/** Pages that begin at a row, by a cursor that another principal was given. */
export async function cursorsOf(run: Served, type: ResourceType, minter: string | null = 'seer'): Promise<Way[]> {
  const urls = serversOf(run, type).map((server) => `${urlOf(server, type)}?page[size]=1`)
  const answers = await sendAll(run.url, urls.map(read), minter)
  const links = answers.map(({ text }) => String(JSON.parse(text).links?.next ?? ''))
  return links.filter((link) => link.includes('after')).map((link) => read(link.slice(run.url.length)))
}

/** The include paths that are accepted, of all that relations make. */
export async function findIncludes({ app, url }: Served, who: string | null = 'seer'): Promise<Includes> {
  const includes = new Map<string, readonly string[]>()
  for (const server of app.servers) {
    for (const type of server.types.values()) {
      const path = urlOf(server, type)
      const depth = server.maxIncludeDepth > 0 ? Math.min(server.maxIncludeDepth, 3) : 3
      const paths = pathsFrom(type, depth)
      const ways = paths.map((one) => read(`${path}?include=${one}&page[size]=0`))
      const answers = await sendAll(url, ways, who)
      includes.set(
        path,
        paths.filter((_, index) => answers[index]?.status !== 400),
      )
    }
  }
  return includes
}
