import type { EntityMetadata } from '@mikro-orm/core'
import { expect } from 'chai'
import { toChanges } from '#app/kernel/operations/input/hydrate.ts'
import { declaredResources } from '#app/resources.ts'
import { discover } from '#discovery'
import type { Resource, ResourceType } from '#kernel'
import type { App, Attribute, Field, Operation, Server, Target } from '#kernel/plugin'
import { createQuery } from '#kernel/queries'
import type { Instruction } from '#program'
import { addRows } from '#test/conformance/rows.ts'
import { markDirty, root } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'

// Hidden members are never returned and members that are not writable are never written: for every type of the demo,
// with every query parameter. A new resource is covered as soon as its folder exists.

const declared = await declaredResources(await discover(root))

for (const { resource } of declared) {
  const { type: name } = resource.declaration

  describe(`Members of ${name}`, () => {
    let app: App
    let client: Client
    let type: ResourceType
    before(async () => {
      const running = await catalogue()
      app = running.app
      client = running.client
      type = app.registry.types.get(name) as ResourceType
    })

    it('returns no hidden, write-only or undeclared member for any query', async () => {
      await plantCanaries(type)
      const seen = await Promise.all(
        servingServers(app, type).flatMap((server) => [
          everyRead(client, server, type, secretMembers(type)),
          everyRead(client, server, type, undeclaredIn(type)),
        ]),
      )
      if (type.operations.size > 0) expect(seen.flat(), 'requests').not.to.be.empty
      for (const { path, response } of seen.flat()) checkResponse(path, response, app)
    })

    it('returns 400 or 404 when an undeclared member is named in a fieldset, an include, a sort or a path', async () => {
      for (const server of servingServers(app, type)) {
        const base = `${server.prefix}/${type.uriType}`
        const id = await firstId(client, base)
        for (const member of undeclaredIn(type)) {
          const refused = ['fields', 'include', 'sort'].map((family) => {
            const parameter = family === 'fields' ? `fields[${name}]` : family
            return `${base}?${parameter}=${member}`
          })
          if (!type.operations.has('FetchCollection')) refused.length = 0
          for (const path of refused) expect((await client.get(path)).status, path).to.equal(400)
          if (id === null || !type.operations.has('FetchOne')) continue
          for (const path of [`${base}/${id}/${member}`, `${base}/${id}/relationships/${member}`]) {
            const { status, body } = await client.get(path)
            expect(status, path).to.equal(404)
            const hasRelationUrls = !type.isStandalone || type.relations.length > 0
            expect(body?.errors[0].code, path).to.equal(hasRelationUrls ? 'RELATIONSHIP_NOT_EXISTS' : undefined)
          }
        }
      }
    })

    it('maps undeclared, hidden and read-only members of a body to no column', () => {
      for (const kind of ['Create', 'Update'] as const) {
        const attributes = poisonFor(type)
        const { values } = toChanges(operation(app, kind, type), { attributes, linkage: [] }, new Map(), null)
        const open = type.attributes.flatMap((field) => writableBehind(field, kind))
        for (const property of values.keys()) expect(open, `${kind} ${property}`).to.include(property)
      }
    })

    if (!isUpdatable(resource)) return

    it('changes no row when an update names only members that are not writable', async () => {
      const [server] = servingServers(app, type) as [Server]
      const { orm } = await testDatabase()
      const meta = orm.getMetadata().get(type.entity)
      if ((await readRows(meta)).length === 0) await addRows(app, 1)
      const rows = await readRows(meta)
      const id = type.codec.encode(rows[0]?.[columnName(meta, type.id.property)])
      await app.dispatch(update(server, type, id))
      markDirty()
      expect(rows).not.to.be.empty
      expect(await readRows(meta)).to.deep.equal(rows)
    })
  })
}

describe('Hidden columns of the demo', () => {
  it('exist, so that the tests above have canaries to find', async () => {
    const { app } = await catalogue()
    const planted = await Promise.all([...app.registry.types.values()].map(plantCanaries))
    expect(planted.flat()).not.to.be.empty
  })
})

const canary = 'canary-in-the-coal-mine'

/** Returns the declared members that must not be rendered. */
function secretMembers({ attributes, relations }: ResourceType): string[] {
  const secret = [...attributes.filter(isSecret), ...relations.filter(({ hidden }) => hidden === true)]
  return secret.map(({ name }) => name)
}

/** Returns the properties and columns of the entity that no field of the type is named after. */
function undeclaredIn({ shape, fields, isStandalone }: ResourceType): string[] {
  const names = [...shape.properties.values()].flatMap(({ name, column }) => (column ? [name, column] : [name]))
  const undeclared = new Set(names.filter((name) => !fields.has(name) && name !== shape.key))
  return isStandalone ? ['unknown'] : [...undeclared, 'unknown']
}

function isSecret({ hidden, writeOnly }: Attribute): boolean {
  return hidden === true || writeOnly === true
}

/** Overwrites text columns that no rendered attribute of the type reads with the canary. */
async function plantCanaries(type: ResourceType): Promise<string[]> {
  if (type.isStandalone) return []
  const { orm } = await testDatabase()
  const meta = orm.getMetadata().get(type.entity)
  const shown = new Set(type.attributes.filter((field) => !isSecret(field)).flatMap(propertiesBehind))
  const secret = meta.props.filter(
    ({ name, kind, primary, columnTypes = [], enum: isEnum }) =>
      kind === 'scalar' && !primary && !isEnum && !shown.has(name) && columnTypes[0] === 'text',
  )
  for (const { fieldNames } of secret) {
    const text = `'${canary}' || "${columnName(meta, type.id.property)}"`
    await orm.em.getConnection().execute(`update "${meta.tableName}" set "${fieldNames[0]}" = ${text}`)
    markDirty()
  }
  return secret.map(({ name }) => name)
}

function propertiesBehind(field: Attribute): string[] {
  if (field.kind === 'map') return field.children.flatMap(propertiesBehind)
  return field.property && !field.on ? [field.property] : []
}

interface Read {
  readonly path: string
  readonly response: ClientResponse
}

/** Reads the type at every URL with every query family, naming the members in every notation. */
async function everyRead(
  client: Client,
  server: Server,
  type: ResourceType,
  members: readonly string[],
): Promise<Read[]> {
  const base = `${server.prefix}/${type.uriType}`
  const id = await firstId(client, base)
  const resources =
    id === null ? [] : [`${base}/${id}`, ...type.relations.map(({ segment }) => `${base}/${id}/${segment}`)]
  const linkage = id === null ? [] : type.relations.map(({ segment }) => `${base}/${id}/relationships/${segment}`)
  const seen: Read[] = []
  for (const url of [base, ...resources, ...linkage]) {
    for (const query of [
      '',
      ...queriesFor(server, type, members),
      ...(url === base ? queriesByMember(server, members) : []),
    ]) {
      const path = query ? `${url}?${query}` : url
      seen.push({ path, response: await client.get(path) })
    }
  }
  return seen
}

function queriesFor({ parameters }: Server, type: ResourceType, members: readonly string[]): string[] {
  if (members.length === 0) return []
  const list = members.join()
  const includes = type.relations.map(({ name }) => name).join()
  return [
    ...[...parameters.keys()].flatMap((family) => [
      `${family}=${list}`,
      `${family}=-${list}`,
      `${family}[${type.name}]=${list}`,
      members.map((member) => `${family}[${member}]=${canary}`).join('&'),
    ]),
    `fields[${type.name}]=${[...type.fields.keys()].join()}`,
    `include=${includes}&fields[${type.name}]=${[...type.fields.keys(), ...members].join()}`,
    `page[size]=1&page[after]=${Buffer.from(JSON.stringify({ values: members })).toString('base64url')}`,
  ]
}

/** Names one member per query, because an error about one member could prevent the response for another. */
function queriesByMember({ parameters }: Server, members: readonly string[]): string[] {
  return [...parameters.keys()].flatMap((family) =>
    members.flatMap((member) => [`${family}[${member}]=${canary}`, `${family}[${member}][]=${canary}`]),
  )
}

async function firstId(client: Client, base: string): Promise<string | null> {
  const { body } = await client.get(base)
  return body?.data?.[0]?.id ?? null
}

/** Asserts that neither the response nor a cursor in it has the canary, and that resources have only declared members. */
function checkResponse(path: string, { status, text, body }: ClientResponse, { registry }: App): void {
  expect(status, path).to.be.below(500)
  expect(JSON.stringify([body?.data, body?.included, body?.meta]), path).not.to.include(canary)
  for (const token of text.matchAll(/page%5B(?:after|before)%5D=([\w-]+)/g)) {
    expect(Buffer.from(token[1] as string, 'base64url').toString(), path).not.to.include(canary)
  }
  for (const resource of [body?.data ?? [], body?.included ?? []].flat()) {
    const type = registry.types.get(resource.type)
    const shown = (field: Field | undefined) =>
      field?.role === 'attribute' ? !isSecret(field) : field?.role === 'relation' && field.hidden !== true
    for (const member of Object.keys({ ...resource.attributes, ...resource.relationships })) {
      expect(shown(type?.fields.get(member)), `${path}: ${resource.type}.${member}`).to.equal(true)
    }
  }
}

function servingServers({ servers }: App, type: ResourceType): Server[] {
  return servers.filter((server) => server.types.has(type.name) && type.operations.size > 0)
}

/** Returns whether a client may write the attribute. */
function isWritable(field: Attribute, kind: 'Create' | 'Update'): boolean {
  const readOnly = kind === 'Create' ? field.readOnlyOnCreate : field.readOnlyOnUpdate
  return field.hidden !== true && readOnly !== true
}

/** Returns the properties that a body may change through a field. */
function writableBehind(field: Attribute, kind: 'Create' | 'Update'): string[] {
  if (!isWritable(field, kind)) return []
  return field.kind === 'map' ? field.children.flatMap((child) => writableBehind(child, kind)) : propertiesBehind(field)
}

/** Returns attributes that name everything: properties, columns, and every attribute with a value of its kind. */
function poisonFor(type: ResourceType): Record<string, unknown> {
  const undeclared = Object.fromEntries(undeclaredIn(type).map((name) => [name, 'poison']))
  return { ...undeclared, ...Object.fromEntries(type.attributes.map((field) => [field.name, poison(field)])) }
}

const poisons: Partial<Record<Attribute['kind'], unknown>> = {
  integer: 42,
  decimal: 42,
  boolean: true,
  dateTime: '2001-02-03T04:05:06Z',
  date: '2001-02-03',
  time: '04:05:06',
  arrayList: ['poison'],
  arrayHash: { poison: true },
  uuid: '99999999-9999-4999-8999-999999999999',
}

function poison(field: Attribute): unknown {
  if (field.kind === 'map' || field.kind === 'obj') {
    return Object.fromEntries(field.children.map((child) => [child.name, poison(child)]))
  }
  if (field.kind !== 'oneOf') return poisons[field.kind] ?? 'poison'
  const [[variant, children = []] = ['', []]] = field.variants
  const members = children.map((child) => [child.name, poison(child)])
  return { [field.discriminator]: variant, ...Object.fromEntries(members) }
}

function operation(app: App, kind: 'Create' | 'Update', type: ResourceType): Operation {
  const [server] = [...servingServers(app, type), ...app.servers] as [Server]
  const target: Target = { kind: kind === 'Create' ? 'collection' : 'resource', server, type }
  const plan = app.plans.ofQuery(app, { server, kind, target, profiles: null }, createQuery({ type }))
  return { kind, target, plan, context: { app, request: null } } as unknown as Operation
}

/** Returns an update that names only members that are not writable; of a map, its children that are not writable. */
function update(server: Server, type: ResourceType, id: string): Instruction {
  const attributes = poisonFor(type)
  for (const field of type.attributes) {
    if (!isWritable(field, 'Update')) continue
    const closed = field.children.filter((child) => !isWritable(child, 'Update'))
    if (closed.length > 0) attributes[field.name] = Object.fromEntries(closed.map((child) => [child.name, 'poison']))
    else delete attributes[field.name]
  }
  return { kind: 'Update', server: server.name, type: type.name, id, attributes }
}

function isUpdatable({ declaration: { operations, readOnly }, entity }: Resource): boolean {
  if (readOnly) return false
  return operations?.length ? operations.includes('Update') : entity !== null
}

async function readRows(meta: EntityMetadata): Promise<Record<string, unknown>[]> {
  const { orm } = await testDatabase()
  return orm.em.getConnection().execute(`select * from "${meta.tableName}" order by 1`)
}

function columnName(meta: EntityMetadata, property: string): string {
  return (meta.properties as Record<string, { fieldNames: string[] }>)[property]?.fieldNames[0] as string
}
