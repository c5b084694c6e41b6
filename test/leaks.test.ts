import { expect } from 'chai'
import type { Relation, ResourceType } from '#kernel'
import type { Server } from '#kernel/plugin'
import { markDirty } from './support/app.ts'
import { mediaType } from './support/client.ts'
import { Blindfold } from './support/leaks/blindfold.ts'
import { type Includes, pathsFrom, readsOf } from './support/leaks/reads.ts'
import { eraseRows, keysOf, sampleOf } from './support/leaks/rows.ts'
import { type Hidden, pivotOf, read, relationsTo, urlOf, type Way } from './support/leaks/way.ts'
import { namingsOf } from './support/leaks/writes.ts'
import { as } from './support/principals.ts'

// A row that is hidden from somebody does not exist for them. Half the rows of each type are hidden in turn, and every
// way to them that the registry knows is tried. Then they are erased, and the same requests must have the same answers.

const blindfold = new Blindfold()
const { app, client, close } = await blindfold.start()
const types = [...app.registry.types.values()]
const stored = types.filter(({ isStandalone }) => !isStandalone)

after(close)
afterEach(() => blindfold.hide([], []))

describe('A hidden row', () => {
  let includes: Includes
  before(async () => {
    includes = await findIncludes()
  })
  for (const type of stored) {
    it(`of ${type.name} is not there, whatever is asked`, async () => {
      const hidden = await hideHalf(type)
      const ways = [...readsOf(app, hidden, includes), ...(await cursorsOf(type)), ...namingsOf(app, hidden)]
      const before = await ask(ways)
      await eraseRows(type, keysIn(hidden))
      const after = await ask(ways)
      for (const [index, { method, path, body }] of ways.entries()) {
        expect(before[index], `${method} ${path} ${JSON.stringify(body) ?? ''}`).to.deep.equal(after[index])
        expect(mentions(before[index]?.text ?? '', hidden), `${method} ${path}`).to.deep.equal([])
      }
    })
  }

  for (const type of stored) {
    const leading = types.flatMap((root) => relationsTo(root, type)).filter(({ toMany }) => toMany)
    for (const relation of leading) {
      it(`of ${type.name} stays among ${relation.owner.name}.${relation.name}, whatever is changed around it`, async () => {
        if ((await keysOf(relation.owner)).length === 0) await fill(relation.owner)
        const hidden = await hideHalf(type)
        const url = await parentOf(relation, hidden)
        const before = await hiddenAmong(url, hidden)
        for (const reply of await askInTurn(changesAround(url, relation, hidden))) {
          expect(reply.status, reply.text).to.be.oneOf([200, 403])
          expect(mentions(reply.text, hidden)).to.deep.equal([])
        }
        expect(await hiddenAmong(url, hidden)).to.deep.equal(before)
      })
    }
  }

  it('is not reached by a cursor that somebody else has got', async () => {
    const type = app.registry.types.get('users') as ResourceType
    await fill(type)
    const [way] = await cursorsOf(type)
    const [seen] = await ask(way ? [way] : [], 'seer')
    const keys = await keysOf(type)
    blindfold.hide([type], keys)
    const [unseen] = await ask(way ? [way] : [])
    const sizes = [seen, unseen].map((reply) => JSON.parse(reply?.text ?? '').data.length)
    expect(sizes).to.deep.equal([1, 0])
  })

  for (const type of types.filter(({ isStandalone, operations }) => isStandalone && operations.has('FetchOne'))) {
    it(`of ${type.name}, which are not in the database, is not there`, async () => {
      const [server] = serversOf(type)
      const all = await ask([read(urlOf(server, type))], 'seer')
      const [id = '', ...others] = JSON.parse(all[0]?.text ?? '').data.map((one: { id: string }) => one.id)
      blindfold.hide([type], [type.codec.decode(id)])
      const [seen, unseen] = await ask([read(urlOf(server, type, id)), read(urlOf(server, type, 'zzz'))])
      expect([seen?.status, seen?.text.replaceAll(`'${id}'`, `'zzz'`)]).to.deep.equal([404, unseen?.text])
      const [list] = await ask([read(urlOf(server, type))])
      const left = JSON.parse(list?.text ?? '').data.map((one: { id: string }) => one.id)
      expect(left.slice(0, others.length)).to.deep.equal(others)
    })
  }
})

describe('A hidden row is told of, where the specification itself demands it', () => {
  const user = { email: 'ada@example.com', displayName: 'Eve', password: 'passw0rd', passwordConfirm: 'passw0rd' }
  const owner = { data: { type: 'users', id: '1' } }
  const exceptions: Readonly<Record<string, readonly [type: string, way: Way, status: number, code?: string]>> = {
    'an id that a client chooses is taken': [
      'genres',
      {
        method: 'POST',
        path: '/genres',
        body: { data: { type: 'genres', id: 'sample-0', attributes: { name: 'x' } } },
      },
      409,
      'CLIENT_GENERATED_ID_ALREADY_EXISTS',
    ],
    'a value that no two may have in common is taken': [
      'users',
      { method: 'POST', path: '/admin/users', body: { data: { type: 'users', attributes: user } } },
      422,
      'VALIDATION_FAILED',
    ],
    'a to-one that no two may have in common is taken': [
      'libraries',
      { method: 'POST', path: '/libraries', body: { data: { type: 'libraries', relationships: { owner } } } },
      409,
      'CONFLICT',
    ],
    'what it refers to cannot be removed': ['albums', { method: 'DELETE', path: '/artists/1' }, 409, 'CONFLICT'],
    'a finished job leads to it': ['catalog-exports', read('/export-jobs/job-completed'), 303],
  }
  for (const [what, [name, way, status, code]] of Object.entries(exceptions)) {
    it(`${what}: ${status}`, async () => {
      await hideHalf(app.registry.types.get(name) as ResourceType)
      const [answer] = await ask([way])
      expect(answer?.status).to.equal(status)
      if (code) expect(JSON.parse(answer?.text ?? '').errors[0].code).to.equal(code)
    })
  }
})

/** Hides every other row; there are always some that can be seen, where they can be made. */
async function hideHalf(type: ResourceType): Promise<Hidden> {
  if (type.operations.has('Create')) await fill(type)
  const keys = await keysOf(type)
  expect(keys, `rows of ${type.name}: its seed has none, and none can be made`).not.to.be.empty
  const hidden = keys.filter((_, index) => index % 2 === 0)
  const visible = new Map<ResourceType, string[]>()
  for (const one of stored) {
    const others = (await keysOf(one)).filter((key) => one.entity !== type.entity || !hidden.includes(key))
    visible.set(one, others.map(one.codec.encode))
  }
  const ids = hidden.map(type.codec.encode)
  const values = await valuesOf(type, ids)
  blindfold.hide(
    stored.filter(({ entity }) => entity === type.entity),
    hidden,
  )
  return { type, ids, values, visible }
}

/** The linkage of a visible parent; of one that has hidden members, where there is one or can be. */
async function parentOf(relation: Relation, hidden: Hidden): Promise<string> {
  const { owner, segment } = relation
  const [server] = serversOf(owner)
  const parents = hidden.visible.get(owner) ?? []
  const urls = parents.map((id) => `${urlOf(server, owner, id)}/relationships/${segment}`)
  const counts = await Promise.all(urls.map((url) => hiddenAmong(url, hidden)))
  const best = counts.findIndex((ids) => ids.length > 0)
  const url = urls[Math.max(0, best)] as string
  if (best < 0) {
    const member = { type: hidden.type.name, id: hidden.ids[0], meta: { pivot: pivotOf(relation) } }
    await ask([{ method: 'POST', path: url, body: { data: [member] } }], 'seer')
  }
  return url
}

async function hiddenAmong(url: string, { type, ids }: Hidden): Promise<string[]> {
  const [reply] = await ask([read(url)], 'seer')
  const members: { type: string; id: string }[] = JSON.parse(reply?.text ?? '').data
  return members.filter((member) => member.type === type.name && ids.includes(member.id)).map(({ id }) => id)
}

/** A visible member is added, removed and put in the place of all; then all are removed. */
function changesAround(path: string, relation: Relation, { type, visible }: Hidden): Way[] {
  const [id] = visible.get(type) ?? []
  const member = { type: type.name, id, meta: { pivot: pivotOf(relation) } }
  const data = id === undefined ? [] : [member]
  return [
    { method: 'POST', path, body: { data } },
    { method: 'DELETE', path, body: { data } },
    { method: 'PATCH', path, body: { data } },
    { method: 'PATCH', path, body: { data: [] } },
  ]
}

/** Makes rows until there are two, of which the second leads to the first wherever it can. */
async function fill(type: ResourceType): Promise<void> {
  const [server] = serversOf(type)
  for (let keys = await keysOf(type); keys.length < 2; keys = await keysOf(type)) {
    const sample = sampleOf(type, keys.length + 1)
    const first = keys[0] === undefined ? null : { type: type.name, id: type.codec.encode(keys[0]) }
    const own = type.relations.filter(({ targets, toMany }) => !toMany && targets.includes(type))
    const data = {
      ...sample,
      ...(sample.id && { id: `${sample.id}-${keys.length}` }),
      relationships: {
        ...(await requiredOf(type)),
        ...(first && Object.fromEntries(own.map(({ name }) => [name, { data: first }]))),
      },
    }
    const [answer] = await ask([{ method: 'POST', path: urlOf(server, type), body: { data } }], 'seer')
    expect(answer?.status, `a sample of ${type.name}: ${answer?.text}`).to.equal(201)
    markDirty()
  }
}

/** What a new row must lead to. */
async function requiredOf({ relations }: ResourceType): Promise<Record<string, object>> {
  const required: Record<string, object> = {}
  for (const { name, target } of relations.filter(({ options, toMany }) => options.rules?.required && !toMany)) {
    await fill(target)
    required[name] = { data: { type: target.name, id: target.codec.encode((await keysOf(target))[0]) } }
  }
  return required
}

async function valuesOf(type: ResourceType, ids: readonly string[]): Promise<Map<string, string[]>> {
  const [server] = serversOf(type)
  const answers = await ask(
    ids.map((id) => read(urlOf(server, type, id))),
    'seer',
  )
  const values = new Map<string, string[]>()
  for (const { status, text } of answers) {
    if (status !== 200) continue
    for (const [name, value] of Object.entries(JSON.parse(text).data.attributes ?? {})) {
      if (value !== null) values.set(name, [...(values.get(name) ?? []), String(value)])
    }
  }
  return values
}

/** Pages that begin at a row of which somebody else has got the cursor. */
async function cursorsOf(type: ResourceType): Promise<Way[]> {
  const urls = serversOf(type).map((server) => `${urlOf(server, type)}?page[size]=1`)
  const answers = await ask(urls.map(read), 'seer')
  const links = answers.map(({ text }) => String(JSON.parse(text).links?.next ?? ''))
  return links.filter((link) => link.includes('after')).map((link) => read(link.slice(client.url.length)))
}

/** The paths that are taken, of all that relations make. */
async function findIncludes(): Promise<Includes> {
  const includes = new Map<string, readonly string[]>()
  for (const server of app.servers) {
    for (const type of server.types.values()) {
      const url = urlOf(server, type)
      const paths = pathsFrom(type, server.maxIncludeDepth)
      const answers = await ask(
        paths.map((path) => read(`${url}?include=${path}&page[size]=0`)),
        'seer',
      )
      includes.set(
        url,
        paths.filter((_, index) => answers[index]?.status === 200),
      )
    }
  }
  return includes
}

async function askInTurn(ways: readonly Way[]): Promise<Reply[]> {
  markDirty()
  const replies: Reply[] = []
  for (const way of ways) replies.push(...(await ask([way])))
  return replies
}

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** With an id given, and uncompressed, so that answers can be compared. */
const alike = { accept: mediaType, 'accept-encoding': 'identity', 'x-request-id': 'leak' }

/** Some at a time: whoever sends thousands at once is taken for slow on a busy machine. */
async function ask(ways: readonly Way[], who = 'blind'): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let first = 0; first < ways.length; first += atOnce) {
    replies.push(...(await Promise.all(ways.slice(first, first + atOnce).map((way) => send(way, who)))))
  }
  return replies
}

const atOnce = 100

/** Without looking at documents, which others do: there are thousands of answers. */
async function send({ method, path, body, headers }: Way, who: string): Promise<Reply> {
  const response = await fetch(client.url + path, {
    method,
    redirect: 'manual',
    headers: { ...alike, ...(body && { 'content-type': mediaType }), ...headers, ...as(who) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { date, ...kept } = Object.fromEntries(response.headers)
  return { status: response.status, headers: kept, text: await response.text() }
}

/** Whatever of an answer speaks of a hidden row: identifiers and links, except in what was asked. */
function mentions(text: string, { type, ids }: Hidden): string[] {
  const found: string[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { type: name, id } = value as { type?: unknown; id?: unknown }
    if (name === type.name && ids.includes(String(id))) found.push(`${name} ${id}`)
    for (const member of Object.values(value)) visit(member)
  }
  if (text) visit(JSON.parse(text))
  return found
}

function keysIn({ type, ids }: Hidden): unknown[] {
  return ids.map((id) => type.codec.decode(id))
}

function serversOf(type: ResourceType): [Server, ...Server[]] {
  return app.servers.filter(({ types: offered }) => offered.has(type.name)) as [Server, ...Server[]]
}
