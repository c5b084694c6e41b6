import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Operation, type Plugin } from '#kernel/plugin'
import { add, type Identity, relate, remove, sendBatch, update } from '#test/support/batch.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { checkSteps } from '#test/template/support/type-steps.ts'

// A hook of a plugin is called for the same operations and rows, whether statements or entities are written.

type Log = string[]

const describeOperation = ({ kind, target: { type, id = '', relation } }: Operation) =>
  [kind, type.name, id, relation?.name].filter(Boolean).join(' ')

/** Plugins with one hook each, which records its calls. */
const recorders: Readonly<Record<string, (log: Log) => Partial<Plugin>>> = {
  transaction: (log) => ({ plan: addSteps({ transaction: () => void log.push('called') }) }),
  check: (log) => ({ plan: addSteps({ check: (operation) => void log.push(describeOperation(operation)) }) }),
  validate: (log) => ({
    plan: addSteps({ validate: { of: 'row', check: (operation) => void log.push(describeOperation(operation)) } }),
  }),
  'checkRows of members': (log) =>
    checkSteps(
      'members',
      (_type, writes) => void log.push(...writes.map(({ operation }) => describeOperation(operation))),
    ),
  'checkRows of links': (log) =>
    checkSteps('links', (operation, { name }) => void log.push(`${describeOperation(operation)}: ${name}`)),
  'checkRows of written rows': (log) =>
    checkSteps('written', (_, { name }, keys) => void log.push(...keys.map((key) => `${name} ${key}`))),
  afterOperation: (log) => ({
    plan: addSteps({
      afterOperation: (operation, { status }) => void log.push(`${describeOperation(operation)}: ${status}`),
    }),
  }),
  afterCommit: (log) => ({
    plan: addSteps({
      afterCommit: (operation, { status }) => void log.push(`${describeOperation(operation)}: ${status}`),
    }),
  }),
}

const tag = (number: number): Identity & { id: string } => ({
  type: 'tags',
  id: `00000000-0000-4000-8000-00000000000${number}`,
})
const emma = { type: 'books', id: '101' }
const prose = { type: 'shelves', id: '101' }
const shelf = { shelf: { data: prose } }
const create = (title: string, relationships = {}) => ({
  data: { type: 'books', attributes: { title }, relationships },
})
const change = (id: string, rest: object) => ({ data: { type: 'books', id, ...rest } })
const missing = { type: 'shelves', id: '404' }
const tags = { ...emma, relationship: 'tags' }

const requests: readonly (readonly [string, (client: Client) => Promise<ClientResponse>])[] = [
  ['a create', (client) => client.post('/books', create('Persuasion'))],
  ['a create with a to-one', (client) => client.post('/books', create('Persuasion', shelf))],
  ['a create with an include', (client) => client.post('/books?include=shelf', create('Persuasion', shelf))],
  ['a create with members', (client) => client.post('/books', create('Evelyn', { tags: { data: [tag(1)] } }))],
  ['a create that refers to nothing', (client) => client.post('/books', create('X', { shelf: { data: missing } }))],
  ['an invalid create', (client) => client.post('/books', { data: { type: 'books', attributes: {} } })],
  ['an update', (client) => client.patch('/books/101', change('101', { attributes: { title: 'Emma W.' } }))],
  ['an update without a change', (client) => client.patch('/books/101', change('101', { attributes: {} }))],
  ['an update of a to-one', (client) => client.patch('/books/101', change('101', { relationships: shelf }))],
  ['an update of nothing', (client) => client.patch('/books/404', change('404', { attributes: { title: 'X' } }))],
  ['added members', (client) => client.post('/books/101/relationships/tags', { data: [tag(1)] })],
  ['added members that do not exist', (client) => client.post('/books/101/relationships/tags', { data: [tag(9)] })],
  ['removed members', (client) => client.delete('/books/101/relationships/tags', { data: [tag(1)] })],
  ['a removed to-one', (client) => client.patch('/books/101/relationships/shelf', { data: null })],
  ['members that move', (client) => client.post('/shelves/101/relationships/books', { data: [emma] })],
  [
    'a batch of creates',
    (client) =>
      sendBatch(
        client,
        ['A', 'B'].map((title) => add('books', { title }, { shelf: prose })),
      ),
  ],
  ['a batch of one create', (client) => sendBatch(client, [add('books', { title: 'Sanditon' })])],
  [
    'a mixed batch',
    (client) =>
      sendBatch(client, [
        update(emma, { title: 'E.' }),
        relate('add', tags, [tag(2)]),
        remove({ type: 'books', id: '102' }),
      ]),
  ],
  ['a deletion', (client) => client.delete('/books/101')],
]

const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)

/** Sends all requests to a library with the plugin. Returns status and calls of each. */
async function recordCalls(recorder: (log: Log) => Partial<Plugin>, writer: 'statements' | 'entities') {
  const log: Log = []
  const entities: Plugin = { name: 'entities', ...(writer === 'entities' && { plan: addSteps({ beforeSave() {} }) }) }
  const library = await startLibrary({ plugins: [...plugins, entities, { name: 'recording', ...recorder(log) }] })
  try {
    await emptyLibrary()
    await execute("insert into shelves (id, name) values (101, 'Prose')")
    await execute("insert into books (id, title) values (101, 'Emma'), (102, 'Lady Susan')")
    await execute(`insert into tags (id, name) values ('${tag(1).id}', 'novel'), ('${tag(2).id}', 'irony')`)
    const calls: Record<string, unknown> = {}
    for (const [name, send] of requests) {
      const { status } = await send(library.client)
      calls[name] = { status, calls: log.splice(0) }
    }
    return calls
  } finally {
    await library.close()
  }
}

describe('Hooks of both writers', () => {
  after(emptyLibrary)

  for (const [hook, recorder] of Object.entries(recorders)) {
    it(`are called for the same operations and rows: ${hook}`, async () => {
      const [byStatements, asEntities] = [
        await recordCalls(recorder, 'statements'),
        await recordCalls(recorder, 'entities'),
      ]
      expect(byStatements).to.deep.equal(asEntities)
    })
  }
})
